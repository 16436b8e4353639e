//! Statement by statement and row by row, as an ordinary application works: what the network costs it.
//!
//! Rows are locked in the functions' order, so that neither deadlocks with the other: stock by (warehouse,
//! item), then district; customer, then district, then warehouse; the oldest orders by district.

use tokio_postgres::Client;
use workload::tpcc::{
    Cents, CustomerSelector, DISTRICTS_PER_WAREHOUSE, DeliveryInput, Input, NewOrderInput,
    OrderStatusInput, PaymentInput, StockLevelInput,
};

use super::application::{
    Application, Order, Sql, Talk, bad_credit_data, history_data, middle, names,
};
use super::reply::Reply;
use super::value::Value::{self, Amount, Int, Text};
use super::{Outcome, Seen, Setup, TransactionError};

/// An application that waits for the answer to each statement.
pub struct Statements {
    application: Application,
}

impl Statements {
    pub(super) async fn new(setup: &Setup, client: &Client) -> Result<Self, TransactionError> {
        Ok(Statements {
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
        talk.begin().await?;
        let result = match input {
            Input::NewOrder(input) => new_order(&mut talk, input).await,
            Input::Payment(input) => payment(&mut talk, input).await,
            Input::OrderStatus(input) => order_status(&mut talk, input).await,
            Input::Delivery(input) => delivery(&mut talk, input).await,
            Input::StockLevel(input) => stock_level(&mut talk, input).await,
        };
        talk.end(result).await
    }
}

impl Talk<'_> {
    /// As [`Talk::ask`] for a row that must be there.
    async fn row(
        &mut self,
        sql: Sql,
        values: &[Value<'_>],
        what: impl FnOnce() -> String,
    ) -> Result<Reply, TransactionError> {
        let reply = self.ask(sql, values).await?;
        reply.must(what)?;
        Ok(reply)
    }
}

async fn new_order(
    talk: &mut Talk<'_>,
    input: &NewOrderInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id) = (Int(input.w_id), Int(input.d_id));
    let customer = [w_id, d_id, Int(input.c_id)];
    let customer = talk
        .row(Sql::NewOrderCustomer, &customer, || {
            names::customer(&CustomerSelector::ById(input.c_id), input.d_id, input.w_id)
        })
        .await?;
    let mut order = Order::new(input);
    for (place, line) in input.lines.iter().enumerate() {
        let item = talk.ask(Sql::NewOrderItem, &[Int(line.i_id)]).await?;
        order.read_item(place, &item)?;
    }
    for place in order.by_stock() {
        if !order.has_item(place) {
            continue;
        }
        let stock = talk.ask(Sql::NewOrderStock, &order.stock(place)).await?;
        order.read_stock(place, &stock, None)?;
        let update = order.stock_update(place);
        talk.ask(Sql::NewOrderUpdateStock, &update).await?;
    }
    let district = talk
        .row(Sql::NewOrderDistrict, &[w_id, d_id], || {
            names::district(input.d_id, input.w_id)
        })
        .await?;
    let o_id = district.row(0)?.int4(0)?;
    talk.ask(Sql::NewOrderUpdateDistrict, &[w_id, d_id]).await?;
    talk.ask(Sql::NewOrderInsertOrder, &order.order(o_id))
        .await?;
    talk.ask(Sql::NewOrderInsertNewOrder, &order.new_order(o_id))
        .await?;
    for place in 0..input.lines.len() {
        if order.has_item(place) {
            let line = order.order_line(place, o_id);
            talk.ask(Sql::NewOrderInsertOrderLine, &line).await?;
        }
    }
    order.show(&customer, &district)?;
    Ok(order.outcome())
}

async fn payment(talk: &mut Talk<'_>, input: &PaymentInput) -> Result<Outcome, TransactionError> {
    let (c_w_id, c_d_id) = (Int(input.c_w_id), Int(input.c_d_id));
    let (w_id, d_id, amount) = (Int(input.w_id), Int(input.d_id), Amount(input.amount));
    let c_id = match &input.customer {
        CustomerSelector::ById(c_id) => *c_id,
        CustomerSelector::ByLastName(name) => {
            let values = [c_w_id, c_d_id, Text(name.as_str())];
            let customers = talk
                .row(Sql::PaymentCustomersByName, &values, || {
                    names::customer(&input.customer, input.c_d_id, input.c_w_id)
                })
                .await?;
            customers.row(middle(customers.len()))?.int4(0)?
        }
    };
    let key = [c_w_id, c_d_id, Int(c_id)];
    let customer = talk
        .row(Sql::PaymentCustomer, &key, || {
            names::customer(&CustomerSelector::ById(c_id), input.c_d_id, input.c_w_id)
        })
        .await?;
    let row = customer.row(0)?;
    if row.text(0)? == "BC" {
        let data = bad_credit_data(input, c_id, row.text(1)?);
        let values = [c_w_id, c_d_id, Int(c_id), amount, Text(&data)];
        talk.ask(Sql::PaymentUpdateCustomerBadCredit, &values)
            .await?;
    } else {
        let values = [c_w_id, c_d_id, Int(c_id), amount];
        talk.ask(Sql::PaymentUpdateCustomer, &values).await?;
    }
    let what = || names::district(input.d_id, input.w_id);
    talk.row(Sql::PaymentUpdateDistrict, &[w_id, d_id, amount], what)
        .await?;
    let district = talk.row(Sql::PaymentDistrict, &[w_id, d_id], what).await?;
    let what = || names::warehouse(input.w_id);
    talk.row(Sql::PaymentUpdateWarehouse, &[w_id, amount], what)
        .await?;
    let warehouse = talk.row(Sql::PaymentWarehouse, &[w_id], what).await?;
    let data = history_data(warehouse.row(0)?.text(0)?, district.row(0)?.text(0)?);
    let history = [Int(c_id), c_w_id, w_id, c_d_id, d_id, amount, Text(&data)];
    talk.ask(Sql::PaymentInsertHistory, &history).await?;
    Ok(Outcome::COMMITTED)
}

async fn order_status(
    talk: &mut Talk<'_>,
    input: &OrderStatusInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id) = (Int(input.w_id), Int(input.d_id));
    let (sql, selector) = match &input.customer {
        CustomerSelector::ById(c_id) => (Sql::OrderStatusCustomer, Int(*c_id)),
        CustomerSelector::ByLastName(name) => {
            (Sql::OrderStatusCustomersByName, Text(name.as_str()))
        }
    };
    let customers = talk
        .row(sql, &[w_id, d_id, selector], || {
            names::customer(&input.customer, input.d_id, input.w_id)
        })
        .await?;
    let c_id = customers.row(middle(customers.len()))?.int4(0)?;
    let order = talk
        .ask(Sql::OrderStatusOrder, &[w_id, d_id, Int(c_id)])
        .await?;
    // Every customer has an order since the load; one without shows no lines.
    if let Some(order) = order.first() {
        let o_id = Int(order.int4(0)?);
        talk.ask(Sql::OrderStatusLines, &[w_id, d_id, o_id]).await?;
    }
    Ok(Outcome::COMMITTED)
}

async fn delivery(talk: &mut Talk<'_>, input: &DeliveryInput) -> Result<Outcome, TransactionError> {
    let w_id = Int(input.w_id);
    let mut skipped_districts = 0;
    for d_id in 1..=DISTRICTS_PER_WAREHOUSE {
        let oldest = talk.ask(Sql::DeliveryOldest, &[w_id, Int(d_id)]).await?;
        match oldest.first() {
            Some(oldest) => deliver(talk, input, d_id, oldest.int4(0)?).await?,
            None => skipped_districts += 1,
        }
    }
    if skipped_districts == DISTRICTS_PER_WAREHOUSE.unsigned_abs() {
        talk.row(Sql::DeliveryWarehouse, &[w_id], || {
            names::warehouse(input.w_id)
        })
        .await?;
    }
    Ok(Outcome::Committed { skipped_districts })
}

/// Delivers the oldest order of a district.
async fn deliver(
    talk: &mut Talk<'_>,
    input: &DeliveryInput,
    d_id: i32,
    o_id: i32,
) -> Result<(), TransactionError> {
    let (w_id, d_id_value, carrier_id) = (Int(input.w_id), Int(d_id), Int(input.carrier_id));
    let key = [w_id, d_id_value, Int(o_id)];
    talk.ask(Sql::DeliveryDeleteNewOrder, &key).await?;
    let what = || names::order(o_id, d_id, input.w_id);
    let order = talk.row(Sql::DeliveryOrder, &key, what).await?;
    let c_id = order.row(0)?.int4(0)?;
    let update = [w_id, d_id_value, Int(o_id), carrier_id];
    talk.ask(Sql::DeliveryUpdateOrder, &update).await?;
    let what = || names::line(&what());
    talk.row(Sql::DeliveryUpdateLines, &key, what).await?;
    let amount = talk.row(Sql::DeliveryAmount, &key, what).await?;
    let amount = Cents(amount.row(0)?.decimal::<2>(0)?);
    let update = [w_id, d_id_value, Int(c_id), Amount(amount)];
    talk.row(Sql::DeliveryUpdateCustomer, &update, || {
        names::customer(&CustomerSelector::ById(c_id), d_id, input.w_id)
    })
    .await?;
    Ok(())
}

async fn stock_level(
    talk: &mut Talk<'_>,
    input: &StockLevelInput,
) -> Result<Outcome, TransactionError> {
    let (w_id, d_id) = (Int(input.w_id), Int(input.d_id));
    let district = talk
        .row(Sql::StockLevelDistrict, &[w_id, d_id], || {
            names::district(input.d_id, input.w_id)
        })
        .await?;
    let next_o_id = Int(district.row(0)?.int4(0)?);
    let values = [w_id, d_id, next_o_id, Int(input.threshold)];
    talk.ask(Sql::StockLevelLowStock, &values).await?;
    Ok(Outcome::COMMITTED)
}
