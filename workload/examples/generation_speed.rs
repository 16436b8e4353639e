//! How fast the population is generated on one core, table by table: rows and megabytes a second.

use std::hint::black_box;
use std::time::Instant;

use workload::tpcc::{ColumnWriter, Population, Row};

/// Adds up the bytes that a row has as text and fixed-width values.
#[derive(Default)]
struct Bytes(u64);

impl ColumnWriter for Bytes {
    fn int2(&mut self, value: i16) {
        black_box(value);
        self.0 += 2;
    }
    fn int4(&mut self, value: i32) {
        black_box(value);
        self.0 += 4;
    }
    fn text(&mut self, value: &[u8]) {
        black_box(value);
        self.0 += value.len() as u64;
    }
    fn numeric(&mut self, unscaled: i64, _scale: u8) {
        black_box(unscaled);
        self.0 += 8;
    }
    fn timestamp(&mut self, us_since_2000: i64) {
        black_box(us_since_2000);
        self.0 += 8;
    }
    fn null(&mut self) {}
}

fn measure<R: Row, I: Iterator<Item = R>>(rows_of: impl Fn(i32) -> I) {
    let start = Instant::now();
    let (mut rows, mut bytes) = (0u64, Bytes::default());
    let mut w_id = 0;
    while start.elapsed().as_secs_f64() < 1.0 {
        w_id += 1;
        for row in rows_of(w_id) {
            row.write(&mut bytes);
            rows += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:<12} {:>12.0} rows/s {:>8.0} MB/s",
        R::TABLE,
        rows as f64 / seconds,
        bytes.0 as f64 / seconds / 1e6
    );
}

fn main() {
    let population = Population::new(1);
    measure(|_| population.items());
    measure(|w| std::iter::once(population.warehouse(w)));
    measure(|w| population.districts(w));
    measure(|w| population.customers(w));
    measure(|w| population.history(w));
    measure(|w| population.orders(w));
    measure(|w| population.new_orders(w));
    measure(|w| population.order_lines(w));
    measure(|w| population.stock(w));
}
