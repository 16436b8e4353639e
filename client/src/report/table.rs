//! A table on the terminal.

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement};
use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow};

use super::number::grouped;

/// How wide a table may be before its texts go over several lines, in characters.
const WIDTH: u16 = 120;
/// Texts up to this length stay on one line.
const SHORT: usize = 20;

/// Rows of text under headings; columns of numbers stand to the right.
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Table {
        Table {
            headings: headings.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) -> &mut Table {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|c| !c.is_empty());
        let digit = |cell: &String| {
            cell.trim_start_matches('-')
                .starts_with(|c: char| c.is_ascii_digit())
        };
        cells.clone().next().is_some() && cells.all(digit)
    }
}

impl Table {
    /// The headings, those of numbers with a word a line: the numbers are short too.
    fn broken_headings(&self) -> Vec<String> {
        let broken = |(index, heading): (usize, &String)| {
            if self.is_numeric(index) {
                heading.replace(' ', "\n")
            } else {
                heading.clone()
            }
        };
        self.headings.iter().enumerate().map(broken).collect()
    }

    fn longest(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut table = comfy_table::Table::new();
        table
            .load_style(UTF8_BORDERS_ONLY)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(WIDTH);
        let align = |column: usize| {
            if self.is_numeric(column) {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            }
        };
        let cells = |texts: &[String]| {
            let cell =
                |(column, text): (usize, &String)| Cell::new(text).set_alignment(align(column));
            texts.iter().enumerate().map(cell).collect::<Vec<_>>()
        };
        table.set_header(cells(&self.broken_headings()));
        for row in &self.rows {
            table.add_row(cells(row));
        }
        let last = self.headings.len().saturating_sub(1);
        for (index, column) in table.column_iter_mut().enumerate() {
            // Two blanks between columns: one is there anyway.
            column.set_padding((1, u16::from(index == last)));
            if self.is_numeric(index) || self.longest(index) <= SHORT {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        write!(out, "{table}")
    }
}

/// The result of a query as a table: names without underscores, numbers in groups of three digits and
/// with at most three decimals, nothing for NULL.
pub fn from_rows(messages: &[SimpleQueryMessage]) -> Table {
    let mut table = Table::new(Vec::<String>::new());
    for message in messages {
        match message {
            SimpleQueryMessage::RowDescription(columns) => {
                table.headings = columns.iter().map(|c| c.name().replace('_', " ")).collect();
            }
            SimpleQueryMessage::Row(row) => {
                table.row(row_cells(row));
            }
            _ => {}
        }
    }
    table
}

fn row_cells(row: &SimpleQueryRow) -> Vec<String> {
    (0..row.len())
        .map(|column| row.get(column).map_or_else(String::new, cell))
        .collect()
}

fn cell(text: &str) -> String {
    match (text, text.parse::<f64>()) {
        ("t", _) => "yes".into(),
        ("f", _) => "NO".into(),
        (_, Ok(value)) if text.contains(['.', 'e']) && value.is_finite() => {
            let decimals = text.rsplit('.').next().map_or(0, str::len);
            if decimals > 3 || text.contains('e') {
                grouped(&format!("{value:.3}"))
            } else {
                grouped(text)
            }
        }
        _ => grouped(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = Table::new(["name", "rows"]);
        table.row(["stock", "100,000"]).row(["item", "9"]);
        let text = table.to_string();
        assert!(text.contains("│ stock  100,000 │"), "{text}");
        assert!(text.contains("│ item         9 │"), "{text}");
    }

    #[test]
    fn floats_are_cut_to_three_decimals_and_truths_are_words() {
        assert_eq!(cell("1234.567891"), "1,234.568");
        assert_eq!(cell("1e-05"), "0.000");
        assert_eq!(cell("12.50"), "12.50");
        assert_eq!(cell("12"), "12");
        assert_eq!(cell("t"), "yes");
        assert_eq!(cell("new_order"), "new_order");
    }
}
