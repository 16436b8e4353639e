//! The tables: how many rows they have, and that each row fills exactly its table's columns.

use std::collections::{BTreeMap, BTreeSet};

use workload::tpcc::{Column, ColumnKind, ColumnWriter, LOAD_TIMESTAMP, Population, Row, Table};

/// Reads rows as a loader would, and holds each value against its column.
struct CheckingWriter {
    columns: std::slice::Iter<'static, Column>,
}

impl CheckingWriter {
    fn check(row: &impl Row, table: Table) {
        let mut writer = CheckingWriter {
            columns: table.columns().iter(),
        };
        row.write(&mut writer);
        assert_eq!(
            writer.columns.next(),
            None,
            "{table}: a column was left out"
        );
    }

    fn next(&mut self) -> &'static Column {
        self.columns.next().expect("no more values than columns")
    }
}

impl ColumnWriter for CheckingWriter {
    fn int2(&mut self, _: i16) {
        assert_eq!(self.next().kind, ColumnKind::Int2);
    }
    fn int4(&mut self, _: i32) {
        assert_eq!(self.next().kind, ColumnKind::Int4);
    }
    fn text(&mut self, value: &[u8]) {
        let column = self.next();
        let fits = match column.kind {
            ColumnKind::Varchar(max) => value.len() <= usize::from(max),
            ColumnKind::Char(len) => value.len() == usize::from(len),
            _ => false,
        };
        assert!(fits && value.is_ascii(), "{column:?}: {value:?}");
    }
    fn numeric(&mut self, unscaled: i64, scale: u8) {
        let column = self.next();
        let ColumnKind::Numeric {
            precision,
            scale: wanted,
        } = column.kind
        else {
            panic!("{column:?} is not numeric");
        };
        assert_eq!(scale, wanted, "{column:?}");
        assert!(unscaled.abs() < 10i64.pow(precision.into()), "{column:?}");
    }
    fn timestamp(&mut self, us_since_2000: i64) {
        assert_eq!(self.next().kind, ColumnKind::Timestamp);
        assert_eq!(us_since_2000, LOAD_TIMESTAMP.0);
    }
    fn null(&mut self) {
        assert!(self.next().nullable);
    }
}

/// Checks some rows of a table, and gives the number of all.
fn check_rows<R: Row>(rows: impl Iterator<Item = R>) -> u64 {
    let mut count = 0;
    for row in rows {
        if count % 97 == 0 {
            CheckingWriter::check(&row, R::TABLE);
        }
        count += 1;
    }
    count
}

#[test]
fn tables_have_as_many_rows_as_the_standard_says_and_all_columns_in_order() {
    let p = Population::new(1);
    let rows = BTreeMap::from([
        (Table::Item, check_rows(p.items())),
        (
            Table::Warehouse,
            check_rows(std::iter::once(p.warehouse(1))),
        ),
        (Table::District, check_rows(p.districts(1))),
        (Table::Customer, check_rows(p.customers(1))),
        (Table::History, check_rows(p.history(1))),
        (Table::Orders, check_rows(p.orders(1))),
        (Table::NewOrder, check_rows(p.new_orders(1))),
        (Table::Stock, check_rows(p.stock(1))),
    ]);
    for (table, count) in rows {
        assert_eq!(count, table.rows(1), "{table}");
    }
    let lines = check_rows(p.order_lines(1));
    assert_eq!(lines, p.order_line_total(1));
    let average = Table::OrderLine.rows_per_warehouse();
    assert!(
        lines.abs_diff(average) < average / 100,
        "{lines} order lines"
    );
    for table in Table::ALL {
        let names: BTreeSet<_> = table.columns().iter().map(|c| c.name).collect();
        assert_eq!(names.len(), table.columns().len());
        assert!(table.key().iter().all(|key| names.contains(key)));
    }
}
