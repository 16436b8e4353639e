//! The work of [`Statements`](super::Statements) in as few round trips as its answers allow: what does not
//! depend on an answer is sent together, in a *flight*.
//!
//! The first flight reads only, so that nothing is left behind if BEGIN itself fails; the last one holds
//! COMMIT where every row that it writes has been read before in the same transaction. After an error
//! the server answers COMMIT with a rollback, and the flight gives that error. Within a flight rows are
//! locked in the functions' order.

use tokio_postgres::Client;
use workload::tpcc::{
    Cents, CustomerSelector, DISTRICTS_PER_WAREHOUSE, DeliveryInput, Input, NewOrderInput,
    OrderStatusInput, PaymentInput, StockLevelInput,
};

use super::application::{
    Application, Call, Order, Sql, Talk, bad_credit_data, history_data, middle, names,
};
use super::reply::Reply;
use super::value::Value::{self, Amount, Int, Text};
use super::{Outcome, Seen, Setup, TransactionError};

/// An application that waits for an answer only where it needs it.
pub struct Pipelined {
    application: Application,
}

impl Pipelined {
    pub(super) async fn new(setup: &Setup, client: &Client) -> Result<Self, TransactionError> {
        Ok(Pipelined {
            application: Application::new(setup, client).await?,
        })
    }

    pub(super) async fn execute(
        &mut self,
        client: &Client,
        input: &Input,
        seen: &mut Seen,
    ) -> Result<Outcome, TransactionError> {
        let mut talk = Talk::new(&self.application, client, seen);
        let result = match input {
            Input::NewOrder(input) => new_order(&mut talk, input).await,
            Input::Payment(input) => payment(&mut talk, input).await,
            Input::OrderStatus(input) => order_status(&mut talk, input).await,
            Input::Delivery(input) => delivery(&mut talk, input).await,
            Input::StockLevel(input) => stock_level(&mut talk, input).await,
        };
        match result {
            Err(error) => Err(talk.undo(error).await),
            done => done,
        }
    }
}

fn ask<'a, const N: usize>(sql: Sql, values: [Value<'a>; N]) -> Call<'a> {
    Call::Ask(sql, values.to_vec())
}

/// Everything is read and locked, then everything is written.
async fn new_order(
    talk: &mut Talk<'_>,
    input: &NewOrderInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id, c_id) = (Int(input.w_id), Int(input.d_id), Int(input.c_id));
    let mut order = Order::new(input);
    let by_stock = order.by_stock();
    let mut calls = vec![Call::Begin, ask(Sql::NewOrderCustomer, [w_id, d_id, c_id])];
    calls.extend(
        input
            .lines
            .iter()
            .map(|line| ask(Sql::NewOrderItem, [Int(line.i_id)])),
    );
    calls.extend(
        by_stock
            .iter()
            .map(|place| ask(Sql::NewOrderStock, order.stock(*place))),
    );
    calls.push(ask(Sql::NewOrderDistrict, [w_id, d_id]));
    let replies = talk.flight(&calls).await?;
    let [_, customer, lines @ .., district] = replies.as_slice() else {
        return Err(incomplete(&replies));
    };
    customer.must(|| {
        let customer = CustomerSelector::ById(input.c_id);
        names::customer(&customer, input.d_id, input.w_id)
    })?;
    let (items, stocks) = lines.split_at(input.lines.len());
    for (place, item) in items.iter().enumerate() {
        order.read_item(place, item)?;
    }
    read_stocks(&mut order, &by_stock, stocks)?;
    let o_id = district
        .must(|| names::district(input.d_id, input.w_id))?
        .int4(0)?;
    order.show(customer, district)?;

    let with_item = |place: &usize| order.has_item(*place);
    let mut calls: Vec<Call<'_>> = by_stock
        .iter()
        .copied()
        .filter(with_item)
        .map(|place| ask(Sql::NewOrderUpdateStock, order.stock_update(place)))
        .collect();
    calls.push(ask(Sql::NewOrderUpdateDistrict, [w_id, d_id]));
    calls.push(ask(Sql::NewOrderInsertOrder, order.order(o_id)));
    calls.push(ask(Sql::NewOrderInsertNewOrder, order.new_order(o_id)));
    calls.extend(
        (0..input.lines.len())
            .filter(with_item)
            .map(|place| ask(Sql::NewOrderInsertOrderLine, order.order_line(place, o_id))),
    );
    let outcome = order.outcome();
    calls.push(match outcome {
        Outcome::Committed { .. } => Call::Commit,
        Outcome::RolledBack => Call::Rollback,
    });
    talk.flight(&calls).await?;
    Ok(outcome)
}

/// Takes in the stocks of all lines. They were read before any was updated: of lines with the same stock,
/// which follow each other, each goes on from what the one before leaves.
fn read_stocks(
    order: &mut Order<'_>,
    by_stock: &[usize],
    stocks: &[Reply],
) -> Result<(), TransactionError> {
    let mut last = None;
    for (place, stock) in by_stock.iter().copied().zip(stocks) {
        if order.has_item(place) {
            let before = last.filter(|last| order.share_stock(*last, place));
            order.read_stock(place, stock, before)?;
            last = Some(place);
        }
    }
    Ok(())
}

/// The customer is locked while the names are read; the rows of the district and the warehouse, for which
/// others queue, are locked by their updates only, which COMMIT follows at once.
async fn payment(talk: &mut Talk<'_>, input: &PaymentInput) -> Result<Outcome, TransactionError> {
    let (c_w_id, c_d_id) = (Int(input.c_w_id), Int(input.c_d_id));
    let (w_id, d_id, amount) = (Int(input.w_id), Int(input.d_id), Amount(input.amount));
    let names = [
        ask(Sql::PaymentDistrict, [w_id, d_id]),
        ask(Sql::PaymentWarehouse, [w_id]),
    ];
    let mut calls = vec![Call::Begin];
    let c_id = match &input.customer {
        CustomerSelector::ById(c_id) => *c_id,
        CustomerSelector::ByLastName(name) => {
            let values = [c_w_id, c_d_id, Text(name.as_str())];
            calls.push(ask(Sql::PaymentCustomersByName, values));
            let replies = talk.flight(&calls).await?;
            calls.clear();
            let [_, customers] = replies.as_slice() else {
                return Err(incomplete(&replies));
            };
            customers.must(|| names::customer(&input.customer, input.c_d_id, input.c_w_id))?;
            customers.row(middle(customers.len()))?.int4(0)?
        }
    };
    calls.push(ask(Sql::PaymentCustomer, [c_w_id, c_d_id, Int(c_id)]));
    calls.extend(names);
    let replies = talk.flight(&calls).await?;
    let [.., customer, district, warehouse] = replies.as_slice() else {
        return Err(incomplete(&replies));
    };
    let customer = customer
        .must(|| names::customer(&CustomerSelector::ById(c_id), input.c_d_id, input.c_w_id))?;
    let district = district.must(|| names::district(input.d_id, input.w_id))?;
    let warehouse = warehouse.must(|| names::warehouse(input.w_id))?;

    let bad_credit;
    let update = if customer.text(0)? == "BC" {
        bad_credit = bad_credit_data(input, c_id, customer.text(1)?);
        let values = [c_w_id, c_d_id, Int(c_id), amount, Text(&bad_credit)];
        ask(Sql::PaymentUpdateCustomerBadCredit, values)
    } else {
        let values = [c_w_id, c_d_id, Int(c_id), amount];
        ask(Sql::PaymentUpdateCustomer, values)
    };
    let data = history_data(warehouse.text(0)?, district.text(0)?);
    let history = [Int(c_id), c_w_id, w_id, c_d_id, d_id, amount, Text(&data)];
    let calls = [
        update,
        ask(Sql::PaymentUpdateDistrict, [w_id, d_id, amount]),
        ask(Sql::PaymentUpdateWarehouse, [w_id, amount]),
        ask(Sql::PaymentInsertHistory, history),
        Call::Commit,
    ];
    talk.flight(&calls).await?;
    Ok(Outcome::COMMITTED)
}

async fn order_status(
    talk: &mut Talk<'_>,
    input: &OrderStatusInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id) = (Int(input.w_id), Int(input.d_id));
    let what = || names::customer(&input.customer, input.d_id, input.w_id);
    let order = match &input.customer {
        CustomerSelector::ById(c_id) => {
            let customer = [w_id, d_id, Int(*c_id)];
            let calls = [
                Call::Begin,
                ask(Sql::OrderStatusCustomer, customer),
                ask(Sql::OrderStatusOrder, customer),
            ];
            let mut replies = talk.flight(&calls).await?;
            let order = replies.pop();
            if let Some(customer) = replies.last() {
                customer.must(what)?;
            }
            order
        }
        CustomerSelector::ByLastName(name) => {
            let values = [w_id, d_id, Text(name.as_str())];
            let calls = [Call::Begin, ask(Sql::OrderStatusCustomersByName, values)];
            let replies = talk.flight(&calls).await?;
            let [_, customers] = replies.as_slice() else {
                return Err(incomplete(&replies));
            };
            customers.must(what)?;
            let c_id = customers.row(middle(customers.len()))?.int4(0)?;
            let calls = [ask(Sql::OrderStatusOrder, [w_id, d_id, Int(c_id)])];
            talk.flight(&calls).await?.pop()
        }
    };
    let mut calls = Vec::with_capacity(2);
    // Every customer has an order since the load; one without shows no lines.
    if let Some(order) = order.as_ref().and_then(Reply::first) {
        let o_id = Int(order.int4(0)?);
        calls.push(ask(Sql::OrderStatusLines, [w_id, d_id, o_id]));
    }
    calls.push(Call::Commit);
    talk.flight(&calls).await?;
    Ok(Outcome::COMMITTED)
}

/// The oldest order of each district; what belongs to them; their customers; and COMMIT by itself, because
/// the rows of the orders and the customers have not been read before they are written.
async fn delivery(talk: &mut Talk<'_>, input: &DeliveryInput) -> Result<Outcome, TransactionError> {
    let w_id = Int(input.w_id);
    let mut calls = vec![Call::Begin];
    calls.extend(
        (1..=DISTRICTS_PER_WAREHOUSE).map(|d_id| ask(Sql::DeliveryOldest, [w_id, Int(d_id)])),
    );
    let replies = talk.flight(&calls).await?;
    let mut taken = Vec::with_capacity(replies.len());
    for (d_id, oldest) in (1..).zip(replies.iter().skip(1)) {
        if let Some(oldest) = oldest.first() {
            taken.push((d_id, oldest.int4(0)?));
        }
    }
    if taken.is_empty() {
        let warehouse = talk.flight(&[ask(Sql::DeliveryWarehouse, [w_id])]).await?;
        if let [warehouse] = warehouse.as_slice() {
            warehouse.must(|| names::warehouse(input.w_id))?;
        }
    } else {
        deliver(talk, input, &taken).await?;
    }
    talk.flight(&[Call::Commit]).await?;
    Ok(Outcome::Committed {
        skipped_districts: DISTRICTS_PER_WAREHOUSE.unsigned_abs() - taken.len() as u32,
    })
}

/// Delivers these orders, each a district and its oldest order.
async fn deliver(
    talk: &mut Talk<'_>,
    input: &DeliveryInput,
    taken: &[(i32, i32)],
) -> Result<(), TransactionError> {
    let w_id = Int(input.w_id);
    let mut calls = Vec::with_capacity(taken.len() * 5);
    for (d_id, o_id) in taken {
        let key = [w_id, Int(*d_id), Int(*o_id)];
        let update = [w_id, Int(*d_id), Int(*o_id), Int(input.carrier_id)];
        calls.extend([
            ask(Sql::DeliveryDeleteNewOrder, key),
            ask(Sql::DeliveryOrder, key),
            ask(Sql::DeliveryUpdateOrder, update),
            ask(Sql::DeliveryUpdateLines, key),
            ask(Sql::DeliveryAmount, key),
        ]);
    }
    let replies = talk.flight(&calls).await?;
    let mut customers = Vec::with_capacity(taken.len());
    for ((d_id, o_id), replies) in taken.iter().zip(replies.chunks_exact(5)) {
        let [_, order, _, lines, amount] = replies else {
            return Err(incomplete(replies));
        };
        let what = || names::order(*o_id, *d_id, input.w_id);
        let c_id = order.must(what)?.int4(0)?;
        lines.must(|| names::line(&what()))?;
        customers.push((*d_id, c_id, Cents(amount.row(0)?.decimal::<2>(0)?)));
    }
    let calls: Vec<Call<'_>> = customers
        .iter()
        .map(|(d_id, c_id, amount)| {
            let update = [w_id, Int(*d_id), Int(*c_id), Amount(*amount)];
            ask(Sql::DeliveryUpdateCustomer, update)
        })
        .collect();
    let replies = talk.flight(&calls).await?;
    for ((d_id, c_id, _), updated) in customers.iter().zip(&replies) {
        updated.must(|| names::customer(&CustomerSelector::ById(*c_id), *d_id, input.w_id))?;
    }
    Ok(())
}

async fn stock_level(
    talk: &mut Talk<'_>,
    input: &StockLevelInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id) = (Int(input.w_id), Int(input.d_id));
    let calls = [Call::Begin, ask(Sql::StockLevelDistrict, [w_id, d_id])];
    let replies = talk.flight(&calls).await?;
    let [_, district] = replies.as_slice() else {
        return Err(incomplete(&replies));
    };
    let next_o_id = district
        .must(|| names::district(input.d_id, input.w_id))?
        .int4(0)?;
    let values = [w_id, d_id, Int(next_o_id), Int(input.threshold)];
    let calls = [ask(Sql::StockLevelLowStock, values), Call::Commit];
    talk.flight(&calls).await?;
    Ok(Outcome::COMMITTED)
}

fn incomplete(replies: &[Reply]) -> TransactionError {
    TransactionError::Unreadable(format!("a flight of {} answers", replies.len()))
}
