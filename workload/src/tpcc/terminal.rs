//! The terminal: it has a home, chooses transactions in the shares of a mix, and keys in their inputs.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::input::{
    CustomerSelector, DeliveryInput, Input, NewOrderInput, OrderLineInput, OrderStatusInput,
    PaymentInput, StockLevelInput, UNUSED_ITEM_ID,
};
use super::mix::{Mix, MixDrawer};
use super::pacing;
use super::population::last_name;
use super::random::{
    NURAND_A_C_ID, NURAND_A_C_LAST, NURAND_A_OL_I_ID, NurandConstants, Rng, Stream, nurand,
};
use super::table::Cents;
use super::transaction::TransactionType;
use super::{
    CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, ITEMS, MAX_ORDER_LINES, MIN_ORDER_LINES,
};

/// Which home warehouse a terminal's transactions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeWarehouse {
    /// One for the whole run, as the standard has it (clause 2.4.1.1).
    #[default]
    Fixed,
    /// Each transaction draws its own, all as likely, so that no warehouse is left untouched when
    /// terminals are fewer than warehouses. Not the standard's.
    Uniform,
}

impl HomeWarehouse {
    /// The name used in SQL, on the command line and in result documents.
    pub const fn name(self) -> &'static str {
        match self {
            HomeWarehouse::Fixed => "fixed",
            HomeWarehouse::Uniform => "uniform",
        }
    }
}

impl fmt::Display for HomeWarehouse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no [`HomeWarehouse`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown home warehouse rule \"{0}\" (known: fixed, uniform)")]
pub struct UnknownHomeWarehouse(pub String);

impl FromStr for HomeWarehouse {
    type Err = UnknownHomeWarehouse;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "fixed" => Ok(HomeWarehouse::Fixed),
            "uniform" => Ok(HomeWarehouse::Uniform),
            _ => Err(UnknownHomeWarehouse(name.to_owned())),
        }
    }
}

/// What a terminal is.
#[derive(Debug, Clone, Copy)]
pub struct TerminalConfig {
    /// The seed of the run.
    pub seed: i64,
    /// Which terminal it is, from 0.
    pub terminal: u32,
    /// How many terminals the run has.
    pub terminals: u32,
    /// How many warehouses there are; they have the ids 1 and up.
    pub warehouses: i32,
    /// The constants of NURand, the same for all terminals of the run.
    pub constants: NurandConstants,
    /// The shares of the transaction types.
    pub mix: Mix,
    /// Which home warehouse the transactions have.
    pub home: HomeWarehouse,
}

/// A terminal: it chooses transactions, keys in their input, and waits.
///
/// The same configuration gives the same transactions.
#[derive(Debug, Clone)]
pub struct Terminal {
    rng: Rng,
    mix: MixDrawer,
    constants: NurandConstants,
    warehouses: i32,
    home: Option<i32>,
    district: i32,
}

impl Terminal {
    /// A terminal at the start of a run.
    ///
    /// # Panics
    /// If there is no warehouse, or the terminal is none of the run's.
    pub fn new(config: &TerminalConfig) -> Terminal {
        Terminal {
            rng: Rng::keyed(config.seed, Stream::Terminal, u64::from(config.terminal)),
            mix: config.mix.drawer(),
            constants: config.constants,
            warehouses: config.warehouses,
            home: match config.home {
                HomeWarehouse::Fixed => Some(home_warehouse(config)),
                HomeWarehouse::Uniform => None,
            },
            district: own_district(config),
        }
    }

    /// The terminal's home warehouse; none if each transaction draws its own.
    pub fn home_warehouse(&self) -> Option<i32> {
        self.home
    }

    /// The district whose stock level the terminal asks for, 1..=10 (clause 2.8.1.1).
    pub fn district(&self) -> i32 {
        self.district
    }

    /// The type of the next transaction.
    pub fn next_type(&mut self) -> TransactionType {
        self.mix.next(&mut self.rng)
    }

    /// The input of a transaction of a type.
    pub fn input(&mut self, transaction: TransactionType) -> Input {
        match transaction {
            TransactionType::NewOrder => Input::NewOrder(self.new_order()),
            TransactionType::Payment => Input::Payment(self.payment()),
            TransactionType::OrderStatus => Input::OrderStatus(self.order_status()),
            TransactionType::Delivery => Input::Delivery(self.delivery()),
            TransactionType::StockLevel => Input::StockLevel(self.stock_level()),
        }
    }

    /// The input of the next transaction.
    pub fn next_input(&mut self) -> Input {
        let transaction = self.next_type();
        self.input(transaction)
    }

    /// How long the input of a type takes to key in.
    pub fn keying_time(&self, transaction: TransactionType) -> Duration {
        pacing::keying_time(transaction)
    }

    /// The next think time after a transaction of a type.
    pub fn think_time(&mut self, transaction: TransactionType) -> Duration {
        pacing::think_time(transaction, &mut self.rng)
    }

    /// The terminal's random numbers, for whatever else is to follow from the seed.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn new_order(&mut self) -> NewOrderInput {
        let w_id = self.next_home();
        let d_id = self.any_district();
        let c_id = self.c_id();
        let count = self.rng.uniform(MIN_ORDER_LINES, MAX_ORDER_LINES);
        let rolled_back = self.rng.percent(1);
        let mut lines: Vec<_> = (0..count)
            .map(|_| OrderLineInput {
                i_id: nurand(
                    &mut self.rng,
                    NURAND_A_OL_I_ID,
                    self.constants.ol_i_id,
                    1,
                    ITEMS,
                ),
                supply_w_id: if self.rng.percent(1) {
                    self.other_warehouse(w_id)
                } else {
                    w_id
                },
                quantity: self.rng.uniform(1, 10),
            })
            .collect();
        if rolled_back && let Some(last) = lines.last_mut() {
            last.i_id = UNUSED_ITEM_ID;
        }
        NewOrderInput {
            w_id,
            d_id,
            c_id,
            lines,
        }
    }

    fn payment(&mut self) -> PaymentInput {
        let w_id = self.next_home();
        let d_id = self.any_district();
        let (c_w_id, c_d_id) = if self.rng.percent(85) {
            (w_id, d_id)
        } else {
            (self.other_warehouse(w_id), self.any_district())
        };
        PaymentInput {
            w_id,
            d_id,
            c_w_id,
            c_d_id,
            customer: self.customer(),
            amount: Cents(i64::from(self.rng.uniform(100, 500_000))),
        }
    }

    fn order_status(&mut self) -> OrderStatusInput {
        OrderStatusInput {
            w_id: self.next_home(),
            d_id: self.any_district(),
            customer: self.customer(),
        }
    }

    fn delivery(&mut self) -> DeliveryInput {
        DeliveryInput {
            w_id: self.next_home(),
            carrier_id: self.rng.uniform(1, 10),
        }
    }

    fn stock_level(&mut self) -> StockLevelInput {
        StockLevelInput {
            w_id: self.next_home(),
            d_id: self.district,
            threshold: self.rng.uniform(10, 20),
        }
    }

    fn next_home(&mut self) -> i32 {
        match self.home {
            Some(w_id) => w_id,
            None => self.rng.uniform(1, self.warehouses),
        }
    }

    fn any_district(&mut self) -> i32 {
        self.rng.uniform(1, DISTRICTS_PER_WAREHOUSE)
    }

    /// Any warehouse but the one given, all as likely; that one itself if it is the only one.
    fn other_warehouse(&mut self, w_id: i32) -> i32 {
        if self.warehouses == 1 {
            return w_id;
        }
        let drawn = self.rng.uniform(1, self.warehouses - 1);
        if drawn < w_id { drawn } else { drawn + 1 }
    }

    fn customer(&mut self) -> CustomerSelector {
        if self.rng.percent(60) {
            let c_last = self.constants.c_last;
            let number = nurand(&mut self.rng, NURAND_A_C_LAST, c_last, 0, 999);
            CustomerSelector::ByLastName(last_name(number))
        } else {
            CustomerSelector::ById(self.c_id())
        }
    }

    fn c_id(&mut self) -> i32 {
        nurand(
            &mut self.rng,
            NURAND_A_C_ID,
            self.constants.c_id,
            1,
            CUSTOMERS_PER_DISTRICT,
        )
    }
}

/// Terminals go round the warehouses: terminal i has 1 + i % W, so that no two warehouses differ by
/// more than one terminal. Fewer terminals than warehouses stand at even distances, and the first of
/// them where the seed says, so that over many runs none is favoured.
fn home_warehouse(config: &TerminalConfig) -> i32 {
    let warehouses = i64::from(config.warehouses);
    let (terminal, terminals) = (i64::from(config.terminal), i64::from(config.terminals));
    assert!(warehouses >= 1, "a terminal needs a warehouse");
    assert!(
        terminal < terminals,
        "terminal {terminal} is none of {terminals}, which are counted from 0"
    );
    if terminals >= warehouses {
        return (1 + terminal % warehouses) as i32;
    }
    let first = Rng::keyed(config.seed, Stream::Homes, 0).below(warehouses as u64) as i64;
    (1 + (first + terminal * warehouses / terminals) % warehouses) as i32
}

/// The terminals of a warehouse have different districts, as long as there are at most ten of them.
fn own_district(config: &TerminalConfig) -> i32 {
    let (terminal, warehouses) = (i64::from(config.terminal), i64::from(config.warehouses));
    let place = terminal / warehouses + terminal % warehouses;
    (1 + place % i64::from(DISTRICTS_PER_WAREHOUSE)) as i32
}
