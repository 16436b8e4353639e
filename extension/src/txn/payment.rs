//! Payment (clause 2.5).

use pgrx::pg_sys;
use workload::tpcc::{CustomerSelector, PaymentInput};

use super::{Preparer, Session, middle, no_such_row, trimmed};
use crate::pg::clock;
use crate::pg::datum::varlena;
use crate::pg::error::Result;
use crate::pg::numeric::Decimal;
use crate::pg::spi::{self, Access, Plan, Row, Spi};

/// The kept plans of Payment.
pub struct Plans {
    customers_by_name: Plan,
    customer: Plan,
    district: Plan,
    warehouse: Plan,
    history: Plan,
}

impl Plans {
    pub(super) fn prepare(preparer: &Preparer) -> Result<Self> {
        use pg_sys::{INT2OID, INT4OID, NUMERICOID, TEXTOID, TIMESTAMPTZOID};
        Ok(Self {
            customers_by_name: preparer.prepare(
                include_str!("../../../sql/statements/payment/customers_by_name.sql"),
                &[INT4OID, INT2OID, TEXTOID],
                Access::ReadWrite,
            )?,
            customer: preparer.prepare(
                include_str!("../../../sql/statements/payment/customer.sql"),
                &[INT4OID, INT2OID, INT4OID, NUMERICOID, TEXTOID],
                Access::ReadWrite,
            )?,
            district: preparer.prepare(
                include_str!("../../../sql/statements/payment/district.sql"),
                &[INT4OID, INT2OID, NUMERICOID],
                Access::ReadWrite,
            )?,
            warehouse: preparer.prepare(
                include_str!("../../../sql/statements/payment/warehouse.sql"),
                &[INT4OID, NUMERICOID],
                Access::ReadWrite,
            )?,
            history: preparer.prepare(
                include_str!("../../../sql/statements/payment/history.sql"),
                &[
                    TIMESTAMPTZOID,
                    INT4OID,
                    INT4OID,
                    INT4OID,
                    INT2OID,
                    INT2OID,
                    NUMERICOID,
                    TEXTOID,
                ],
                Access::ReadWrite,
            )?,
        })
    }

    pub(super) fn free(self) {
        [
            self.customers_by_name,
            self.customer,
            self.district,
            self.warehouse,
            self.history,
        ]
        .into_iter()
        .for_each(Plan::free);
    }
}

/// A name and an address of a warehouse, a district or a customer.
#[derive(Debug, Default)]
pub struct Address {
    /// `street_1`
    pub street_1: String,
    /// `street_2`
    pub street_2: String,
    /// `city`
    pub city: String,
    /// `state`
    pub state: String,
    /// `zip`
    pub zip: String,
}

impl Address {
    fn read(row: &Row, first_column: usize) -> Self {
        Self {
            street_1: row.text(first_column),
            street_2: row.text(first_column + 1),
            city: row.text(first_column + 2),
            state: trimmed(row, first_column + 3),
            zip: trimmed(row, first_column + 4),
        }
    }
}

/// What the terminal shows of a payment (clause 2.5.3.4). Money in cents, rates in
/// ten-thousandths, times in microseconds since 2000-01-01 00:00 UTC.
#[derive(Debug, Default)]
pub struct PaymentOutput {
    /// The customer, also where it was selected by name.
    pub c_id: i32,
    /// The warehouse's address.
    pub warehouse: Address,
    /// The district's address.
    pub district: Address,
    /// First name.
    pub c_first: String,
    /// Middle initials.
    pub c_middle: String,
    /// Last name.
    pub c_last: String,
    /// The customer's address.
    pub customer: Address,
    /// Telephone number.
    pub c_phone: String,
    /// Customer since.
    pub c_since: i64,
    /// `GC` or `BC`.
    pub c_credit: String,
    /// Credit limit.
    pub c_credit_lim: i64,
    /// Discount.
    pub c_discount: i64,
    /// Balance after the payment.
    pub c_balance: i64,
    /// The first 200 characters of the customer's data where the credit is bad.
    pub c_data: Option<String>,
    /// When the payment was made.
    pub h_date: i64,
}

impl Session {
    /// Takes a payment.
    ///
    /// Errors: TC002 where the customer, its district or the warehouse does not exist.
    pub fn payment(&self, input: &PaymentInput) -> Result<PaymentOutput> {
        spi::connect(|spi| self.pay(spi, input))
    }

    fn pay(&self, spi: &Spi, input: &PaymentInput) -> Result<PaymentOutput> {
        let plans = &self.plans.payment;
        let w_id = pg_sys::Datum::from(input.w_id);
        let d_id = pg_sys::Datum::from(input.d_id as i16);
        let c_w_id = pg_sys::Datum::from(input.c_w_id);
        let c_d_id = pg_sys::Datum::from(input.c_d_id as i16);
        let amount = Decimal::cents(input.amount.0);
        let amount_datum = amount.to_datum();
        let c_id = match &input.customer {
            CustomerSelector::ById(c_id) => *c_id,
            CustomerSelector::ByLastName(name) => {
                let mut ids = Vec::new();
                let arguments = [c_w_id, c_d_id, varlena(name.as_bytes())];
                spi.execute(&plans.customers_by_name, &arguments, |row| {
                    ids.push(row.int4(0));
                    Ok(())
                })?;
                if ids.is_empty() {
                    let what = format!(
                        "a customer named {} of district {} of warehouse {}",
                        name.as_str(),
                        input.c_d_id,
                        input.c_w_id
                    );
                    return Err(no_such_row(spi, &self.plans, &what, input.c_w_id));
                }
                ids[middle(ids.len())]
            }
        };

        let mut output = PaymentOutput {
            c_id,
            ..Default::default()
        };
        let prefix = format!(
            "{c_id} {} {} {} {} {amount} ",
            input.c_d_id, input.c_w_id, input.d_id, input.w_id
        );
        let arguments = [
            c_w_id,
            c_d_id,
            c_id.into(),
            amount_datum,
            varlena(prefix.as_bytes()),
        ];
        let found = spi.execute(&plans.customer, &arguments, |row| {
            output.c_first = row.text(0);
            output.c_middle = trimmed(row, 1);
            output.c_last = row.text(2);
            output.customer = Address::read(row, 3);
            output.c_phone = trimmed(row, 8);
            output.c_since = row.timestamp(9);
            output.c_credit = trimmed(row, 10);
            output.c_credit_lim = row.numeric(11, 2)?;
            output.c_discount = row.numeric(12, 4)?;
            output.c_balance = row.numeric(13, 2)?;
            output.c_data = (!row.is_null(14)).then(|| row.text(14));
            Ok(())
        })?;
        if found == 0 {
            let what = format!(
                "customer {c_id} of district {} of warehouse {}",
                input.c_d_id, input.c_w_id
            );
            return Err(no_such_row(spi, &self.plans, &what, input.c_w_id));
        }

        let mut district_name = String::new();
        let found = spi.execute(&plans.district, &[w_id, d_id, amount_datum], |row| {
            district_name = row.text(0);
            output.district = Address::read(row, 1);
            Ok(())
        })?;
        if found == 0 {
            let what = format!("district {} of warehouse {}", input.d_id, input.w_id);
            return Err(no_such_row(spi, &self.plans, &what, input.w_id));
        }
        let mut data = String::new();
        let found = spi.execute(&plans.warehouse, &[w_id, amount_datum], |row| {
            data = format!("{}    {district_name}", row.text(0));
            output.warehouse = Address::read(row, 1);
            Ok(())
        })?;
        if found == 0 {
            let what = format!("warehouse {}", input.w_id);
            return Err(no_such_row(spi, &self.plans, &what, input.w_id));
        }

        output.h_date = clock::now();
        let arguments = [
            output.h_date.into(),
            c_id.into(),
            c_w_id,
            w_id,
            c_d_id,
            d_id,
            amount_datum,
            varlena(data.as_bytes()),
        ];
        spi.execute(&plans.history, &arguments, |_| Ok(()))?;
        Ok(output)
    }
}
