//! The statements of an application: their files, their parameters' types and what they do.

use std::borrow::Cow;

use tokio_postgres::types::Type;

use crate::driver::mode::statement::Definition;

/// As sysbench counts statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::driver::mode) enum Kind {
    /// SELECT, also where it locks.
    Read,
    /// INSERT, UPDATE, DELETE.
    Write,
}

/// Lists the statements once: as names, and with what each name stands for in the same order.
macro_rules! catalogue {
    ($($name:ident $kind:ident $file:literal [$($ty:ident)*],)*) => {
        /// A statement's name: its file's in `sql/application`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::driver::mode) enum Sql {
            $($name,)*
        }

        /// All of them.
        pub(super) const CATALOGUE: &[(Kind, Definition)] = &[
            $((
                Kind::$kind,
                Definition {
                    sql: include_str!(concat!("../../../../../sql/application/", $file, ".sql")),
                    types: Cow::Borrowed(&[$(Type::$ty,)*]),
                },
            ),)*
        ];
    };
}

catalogue! {
    NewOrderCustomer Read "new_order/customer" [INT4 INT2 INT4],
    NewOrderItem Read "new_order/item" [INT4],
    NewOrderStock Read "new_order/stock" [INT4 INT4 INT2],
    NewOrderUpdateStock Write "new_order/update_stock" [INT4 INT4 INT2 INT2 INT4],
    NewOrderDistrict Read "new_order/district" [INT4 INT2],
    NewOrderUpdateDistrict Write "new_order/update_district" [INT4 INT2],
    NewOrderInsertOrder Write "new_order/insert_order" [INT4 INT2 INT4 INT4 INT2 INT2],
    NewOrderInsertNewOrder Write "new_order/insert_new_order" [INT4 INT2 INT4],
    NewOrderInsertOrderLine Write "new_order/insert_order_line" [INT4 INT2 INT4 INT2 INT4 INT4 INT2 NUMERIC TEXT],
    PaymentCustomersByName Read "payment/customers_by_name" [INT4 INT2 TEXT],
    PaymentCustomer Read "payment/customer" [INT4 INT2 INT4],
    PaymentUpdateCustomer Write "payment/update_customer" [INT4 INT2 INT4 NUMERIC],
    PaymentUpdateCustomerBadCredit Write "payment/update_customer_bad_credit" [INT4 INT2 INT4 NUMERIC TEXT],
    PaymentUpdateDistrict Write "payment/update_district" [INT4 INT2 NUMERIC],
    PaymentDistrict Read "payment/district" [INT4 INT2],
    PaymentUpdateWarehouse Write "payment/update_warehouse" [INT4 NUMERIC],
    PaymentWarehouse Read "payment/warehouse" [INT4],
    PaymentInsertHistory Write "payment/insert_history" [INT4 INT4 INT4 INT2 INT2 NUMERIC TEXT],
    OrderStatusCustomer Read "order_status/customer" [INT4 INT2 INT4],
    OrderStatusCustomersByName Read "order_status/customers_by_name" [INT4 INT2 TEXT],
    OrderStatusOrder Read "order_status/order" [INT4 INT2 INT4],
    OrderStatusLines Read "order_status/lines" [INT4 INT2 INT4],
    DeliveryOldest Read "delivery/oldest" [INT4 INT2],
    DeliveryWarehouse Read "delivery/warehouse" [INT4],
    DeliveryDeleteNewOrder Write "delivery/delete_new_order" [INT4 INT2 INT4],
    DeliveryOrder Read "delivery/order" [INT4 INT2 INT4],
    DeliveryUpdateOrder Write "delivery/update_order" [INT4 INT2 INT4 INT2],
    DeliveryUpdateLines Write "delivery/update_lines" [INT4 INT2 INT4],
    DeliveryAmount Read "delivery/amount" [INT4 INT2 INT4],
    DeliveryUpdateCustomer Write "delivery/update_customer" [INT4 INT2 INT4 NUMERIC],
    StockLevelDistrict Read "stock_level/district" [INT4 INT2],
    StockLevelLowStock Read "stock_level/low_stock" [INT4 INT2 INT4 INT4],
}

impl Sql {
    pub(super) fn kind(self) -> Kind {
        CATALOGUE[self as usize].0
    }
}
