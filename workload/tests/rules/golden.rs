//! Rows, inputs and random numbers that may never change: data that was loaded by one version must be
//! what another generates, and runs of one seed must be the same work.

use workload::TransactionType;
use workload::tpcc::{
    ColumnWriter, HomeWarehouse, Mix, NurandConstants, Population, Rng, Row, Stream, Terminal,
    TerminalConfig,
};

/// A row as COPY would write it, but texts cut at 60 characters.
#[derive(Default)]
struct Line(Vec<String>);

impl ColumnWriter for Line {
    fn int2(&mut self, value: i16) {
        self.0.push(value.to_string());
    }
    fn int4(&mut self, value: i32) {
        self.0.push(value.to_string());
    }
    fn text(&mut self, value: &[u8]) {
        let cut = &value[..value.len().min(60)];
        self.0.push(String::from_utf8_lossy(cut).into_owned());
    }
    fn numeric(&mut self, unscaled: i64, scale: u8) {
        self.0.push(format!("{unscaled}e-{scale}"));
    }
    fn timestamp(&mut self, us_since_2000: i64) {
        self.0.push(us_since_2000.to_string());
    }
    fn null(&mut self) {
        self.0.push("\\N".to_owned());
    }
}

fn line(row: impl Row) -> String {
    let mut line = Line::default();
    row.write(&mut line);
    line.0.join("|")
}

/// FNV-1a over every row of which the place is a multiple of 997.
fn digest<R: Row>(rows: impl Iterator<Item = R>) -> u64 {
    rows.step_by(997)
        .flat_map(|row| line(row).into_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

#[test]
fn the_first_rows_of_seed_1_and_warehouse_1() {
    let p = Population::new(1);
    let first_line = |o_id| line(p.order_lines_of(1, 1, o_id).next().unwrap());
    let rows = [
        line(p.item(1)),
        line(p.warehouse(1)),
        line(p.district(1, 1)),
        line(p.customer(1, 1, 1)),
        line(p.customer(1, 10, 3_000)),
        line(p.customer_history(1, 1, 1)),
        line(p.order(1, 1, 1)),
        line(p.order(1, 1, 3_000)),
        first_line(1),
        first_line(3_000),
        line(p.stock_of(1, 1)),
    ];
    assert_eq!(rows.join("\n"), include_str!("golden_rows.txt").trim_end());
}

#[test]
fn digests_of_the_tables_of_seed_1() {
    let p = Population::new(1);
    let digests = [
        digest(p.items()),
        digest((1..2_000).map(|w| p.warehouse(w))),
        digest((1..2_000).flat_map(|w| p.districts(w))),
        digest(p.customers(1)),
        digest(p.history(1)),
        digest(p.orders(1)),
        digest(p.order_lines(1)),
        digest(p.stock(1)),
    ];
    assert_eq!(
        digests,
        [
            0xb90f5c7441164a88,
            0xca68b44cba918e1c,
            0xf6af7e541678d4dc,
            0xb37ab953b7df6d19,
            0xd955e52a30a5b95f,
            0x694e913d3177857d,
            0xeb1db4e026a1e867,
            0x486f196336ec7dd5
        ]
    );
}

#[test]
fn the_first_random_numbers_and_constants() {
    let mut rng = Rng::keyed(1, Stream::Caller, 1);
    assert_eq!(
        [rng.next_u64(), rng.next_u64()],
        [0x59a82131b7624ab4, 0xbaa0af4e6e4f2ca5]
    );
    let load = NurandConstants::load(1);
    let run = NurandConstants::run(1, load.c_last);
    let all = |c: NurandConstants| [c.c_last, c.c_id, c.ol_i_id];
    assert_eq!([all(load), all(run)], [[156, 830, 7_478], [71, 412, 6_454]]);
}

#[test]
fn the_first_inputs_of_seed_1() {
    let mut terminal = Terminal::new(&TerminalConfig {
        seed: 1,
        terminal: 0,
        terminals: 10,
        warehouses: 10,
        constants: NurandConstants::run(1, NurandConstants::load(1).c_last),
        mix: Mix::STANDARD,
        home: HomeWarehouse::Fixed,
    });
    let types: Vec<_> = (0..8).map(|_| terminal.next_type().index()).collect();
    assert_eq!(types, [1, 0, 1, 1, 3, 1, 1, 0]);
    let inputs = [
        TransactionType::Payment,
        TransactionType::OrderStatus,
        TransactionType::Delivery,
        TransactionType::StockLevel,
        TransactionType::NewOrder,
    ]
    .map(|transaction| format!("{:?}", terminal.input(transaction)));
    assert_eq!(
        inputs.join("\n"),
        include_str!("golden_inputs.txt").trim_end()
    );
}
