//! The rules of TPC-C, revision 5.11: scale and population (clauses 1.2, 1.3, 4.3.3), the inputs
//! of the five transactions (clauses 2.4 to 2.8), their mix (5.2.3) and their pace (5.2.5).

pub mod input;
pub mod mix;
pub mod pacing;
pub mod population;
pub mod random;
pub mod rows;
pub mod table;
pub mod terminal;
pub mod text;
pub mod transaction;

pub use input::{
    CustomerSelector, DeliveryInput, HomeWarehouse, Input, NewOrderInput, OrderLineInput,
    OrderStatusInput, PaymentInput, StockLevelInput, Terminal, TerminalConfig, UNUSED_ITEM_ID,
};
pub use mix::{Mix, MixDrawer, MixError, MixKind};
pub use pacing::{exponential, keying_time, mean_think_time, think_time};
pub use population::{LOAD_TIMESTAMP, Population, last_name};
pub use random::{NurandConstants, Rng, Stream, nurand};
pub use rows::{
    Address, Customer, District, History, Item, NewOrder, Order, OrderLine, Stock, Warehouse,
};
pub use table::{Cents, Column, ColumnKind, ColumnWriter, Rate4, Row, Table, Timestamp};
pub use text::{Text, TextTooLong};
pub use transaction::{TransactionType, WORKLOAD};

/// Districts of a warehouse (clause 1.2).
pub const DISTRICTS_PER_WAREHOUSE: i32 = 10;
/// Customers of a district (clause 1.2).
pub const CUSTOMERS_PER_DISTRICT: i32 = 3_000;
/// Orders of a district after the load (clause 4.3.3.1).
pub const ORDERS_PER_DISTRICT: i32 = 3_000;
/// The first order of a district that is not delivered yet after the load (clause 4.3.3.1).
pub const FIRST_UNDELIVERED_ORDER: i32 = 2_101;
/// Items in all, and so stock rows of a warehouse (clause 1.2).
pub const ITEMS: i32 = 100_000;
/// The fewest lines of an order (clause 2.4.1.3).
pub const MIN_ORDER_LINES: i32 = 5;
/// The most lines of an order (clause 2.4.1.3).
pub const MAX_ORDER_LINES: i32 = 15;
