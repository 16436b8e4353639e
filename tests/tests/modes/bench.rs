//! One connection with the executor of a mode, and what its transactions cost.

use std::time::{Duration, Instant};

use tests::Database;
use tpcc::cluster::SUPERUSER;
use tpcc::connect::Connector;
use tpcc::driver::mode::{Executor, Outcome, Protocol, Seen, Setup, TransactionError};
use tpcc::wire::{Link, Wire};
use workload::result::{Flavour, Mode};
use workload::tpcc::{
    Cents, CustomerSelector, DeliveryInput, HomeWarehouse, Input, Mix, MixKind, NewOrderInput,
    NurandConstants, OrderLineInput, PaymentInput, Terminal, TerminalConfig, Text,
};

/// The protocols in which every mode works.
pub const PROTOCOLS: [Protocol; 3] = [Protocol::Simple, Protocol::Extended, Protocol::Prepared];

/// The modes with an executor.
pub const MODES: [Mode; 3] = [Mode::Udf, Mode::Statements, Mode::Pipelined];

/// A connection and its executor.
pub struct Bench {
    pub link: Link,
    executor: Executor,
}

/// What one transaction came to.
#[derive(Debug)]
pub struct Cost {
    pub outcome: Result<Outcome, TransactionError>,
    pub seen: Seen,
    pub round_trips: u64,
    pub latency: Duration,
}

/// As the tests have it, unless one says otherwise.
pub fn setup(protocol: Protocol) -> Setup {
    Setup {
        schema: "tpcc".to_owned(),
        flavour: Flavour::Native,
        protocol,
        isolation: "read committed".to_owned(),
        script: None,
    }
}

impl Bench {
    pub async fn open(database: &Database<'_>, mode: Mode, setup: &Setup) -> Bench {
        let config = database.cluster().config(database.name(), SUPERUSER);
        let mut link = Connector::from(config).open(Wire::default()).await.unwrap();
        let executor = link
            .drive(async |client| Executor::new(mode, setup, client).await)
            .await
            .unwrap();
        Bench { link, executor }
    }

    pub async fn execute(&mut self, input: &Input) -> Cost {
        let mut seen = Seen::default();
        let before = self.link.meter().round_trips();
        let input = workload::Input::Tpcc(input.clone());
        let start = Instant::now();
        let executor = &mut self.executor;
        let outcome = self
            .link
            .drive(async |client| executor.execute(client, &input, &mut seen).await)
            .await;
        Cost {
            outcome,
            seen,
            round_trips: self.link.meter().round_trips() - before,
            latency: start.elapsed(),
        }
    }

    /// The server process of the connection.
    pub async fn pid(&mut self) -> i32 {
        let row = self
            .link
            .drive(async |client| client.query_one("SELECT pg_backend_pid()", &[]).await);
        row.await.unwrap().get(0)
    }
}

/// An order of warehouse 1, district 1, of one of each of these items.
pub fn order(c_id: i32, items: &[i32]) -> Input {
    let line = |i_id: &i32| OrderLineInput {
        i_id: *i_id,
        supply_w_id: 1,
        quantity: 1,
    };
    Input::NewOrder(NewOrderInput {
        w_id: 1,
        d_id: 1,
        c_id,
        lines: items.iter().map(line).collect(),
    })
}

/// A payment of 10.05 in warehouse 1 by a customer of the same district.
pub fn payment(d_id: i32, customer: CustomerSelector) -> Input {
    Input::Payment(PaymentInput {
        w_id: 1,
        d_id,
        c_w_id: 1,
        c_d_id: d_id,
        customer,
        amount: Cents(1_005),
    })
}

/// A delivery by carrier 3.
pub fn delivery(w_id: i32) -> Input {
    Input::Delivery(DeliveryInput {
        w_id,
        carrier_id: 3,
    })
}

/// The customers of that name.
pub fn named(name: &str) -> CustomerSelector {
    CustomerSelector::ByLastName(Text::new(name.as_bytes()).unwrap())
}

/// The first inputs of a terminal of a run over so many warehouses.
pub fn inputs(warehouses: i32, terminal: u32, count: usize) -> Vec<Input> {
    let seed = 4;
    let mut terminal = Terminal::new(&TerminalConfig {
        seed,
        terminal,
        terminals: 2,
        warehouses,
        constants: NurandConstants::run(seed, NurandConstants::load(1).c_last),
        mix: Mix::new(MixKind::Weighted, [30, 30, 15, 10, 15]).unwrap(),
        home: HomeWarehouse::Uniform,
    });
    (0..count).map(|_| terminal.next_input()).collect()
}
