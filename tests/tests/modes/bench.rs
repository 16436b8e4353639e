//! One connection with the executor of a mode, and what its transactions cost.

use std::time::{Duration, Instant};

use tests::Database;
use tpcc::cluster::SUPERUSER;
use tpcc::connect::Connector;
use tpcc::driver::mode::{Executor, Outcome, Protocol, Seen, Setup, TransactionError};
use tpcc::wire::{Link, Wire};
use workload::result::{Flavour, Mode};
use workload::tpcc::{
    HomeWarehouse, Input, Mix, MixKind, NurandConstants, Terminal, TerminalConfig,
};

/// The protocols in which every mode works.
pub const PROTOCOLS: [Protocol; 3] = [Protocol::Simple, Protocol::Extended, Protocol::Prepared];

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
        let start = Instant::now();
        let executor = &mut self.executor;
        let outcome = self
            .link
            .drive(async |client| executor.execute(client, input, &mut seen).await)
            .await;
        Cost {
            outcome,
            seen,
            round_trips: self.link.meter().round_trips() - before,
            latency: start.elapsed(),
        }
    }
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
