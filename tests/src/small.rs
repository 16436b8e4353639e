//! A schema small enough to compute with by hand, and what a call changed in it.

use std::collections::{BTreeMap, BTreeSet};

use tokio_postgres::Client;

use crate::sql;

/// The nine tables and the columns that tell their rows apart; history has no key, its columns do.
pub const TABLES: [(&str, &[&str]); 9] = [
    ("warehouse", &["w_id"]),
    ("district", &["d_w_id", "d_id"]),
    ("customer", &["c_w_id", "c_d_id", "c_id"]),
    (
        "history",
        &[
            "h_w_id", "h_d_id", "h_c_w_id", "h_c_d_id", "h_c_id", "h_amount", "h_data",
        ],
    ),
    ("new_order", &["no_w_id", "no_d_id", "no_o_id"]),
    ("orders", &["o_w_id", "o_d_id", "o_id"]),
    (
        "order_line",
        &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"],
    ),
    ("item", &["i_id"]),
    ("stock", &["s_w_id", "s_i_id"]),
];

/// Creates the tables of the project's own SQL in `schema` with the rows of `small.sql`.
pub async fn create(client: &Client, schema: &str) {
    create_with(client, schema, false).await;
}

/// As [`create`], with the ten foreign keys.
pub async fn create_with_foreign_keys(client: &Client, schema: &str) {
    create_with(client, schema, true).await;
}

async fn create_with(client: &Client, schema: &str, foreign_keys: bool) {
    let mut text = "CREATE SCHEMA {schema};\n".to_owned();
    text += include_str!("../../sql/tables.sql");
    text += &include_str!("small.sql").replace(
        "{foreign_keys}",
        if foreign_keys { "true" } else { "false" },
    );
    text += include_str!("../../sql/indexes.sql");
    if foreign_keys {
        text += include_str!("../../sql/foreign_keys.sql");
    }
    for (table, _) in TABLES {
        text = text.replace(&format!("{{fillfactor_{table}}}"), "90");
    }
    sql::run(
        client,
        &text
            .replace("{unlogged}", "")
            .replace("{schema}", &sql::ident(schema)),
    )
    .await;
}

/// All rows of the nine tables as text: by table and key, then by column.
pub struct State(BTreeMap<String, BTreeMap<String, String>>);

/// Reads the nine tables. Times are shown as `time`: the tests look at them by themselves.
pub async fn state(client: &Client, schema: &str) -> State {
    let mut state = BTreeMap::new();
    for (table, key) in TABLES {
        for row in sql::rows(
            client,
            &format!("SELECT * FROM {}.{table}", sql::ident(schema)),
        )
        .await
        {
            let columns: BTreeMap<String, String> = row
                .columns()
                .iter()
                .enumerate()
                .map(|(i, column)| {
                    let value = row.get(i).unwrap_or("NULL");
                    let is_time = matches!(
                        column.name(),
                        "c_since" | "h_date" | "o_entry_d" | "ol_delivery_d"
                    );
                    let shown = if is_time && value != "NULL" {
                        "time"
                    } else {
                        value
                    };
                    (column.name().to_owned(), shown.to_owned())
                })
                .collect();
            let key: Vec<&str> = key.iter().map(|column| columns[*column].as_str()).collect();
            let mut name = format!("{table} {}", key.join("/"));
            // Two equal payments are two rows.
            while state.contains_key(&name) {
                name.push('\'');
            }
            state.insert(name, columns);
        }
    }
    State(state)
}

/// What differs between two states, a sorted line each: `district 1/2 d_next_o_id: 4 -> 5`,
/// `+ orders 1/2/4 o_carrier_id=NULL, o_c_id=3, ...` without the columns of the key, `- new_order 1/2/2`.
pub fn difference(before: &State, after: &State) -> Vec<String> {
    let names: BTreeSet<&String> = before.0.keys().chain(after.0.keys()).collect();
    let mut lines = Vec::new();
    for name in names {
        match (before.0.get(name), after.0.get(name)) {
            (Some(old), Some(new)) => {
                let changed = old.iter().filter(|(column, value)| new[*column] != **value);
                lines.extend(
                    changed.map(|(column, value)| {
                        format!("{name} {column}: {value} -> {}", new[column])
                    }),
                );
            }
            (Some(_), None) => lines.push(format!("- {name}")),
            (None, Some(new)) => {
                let table = name.split(' ').next().unwrap_or_default();
                let key = TABLES
                    .iter()
                    .find(|(name, _)| *name == table)
                    .map_or(&[] as &[_], |(_, key)| key);
                let columns = new
                    .iter()
                    .filter(|(column, _)| !key.contains(&column.as_str()));
                let columns: Vec<String> = columns
                    .map(|(column, value)| format!("{column}={value}"))
                    .collect();
                lines.push(
                    format!("+ {name} {}", columns.join(", "))
                        .trim_end()
                        .to_owned(),
                );
            }
            (None, None) => {}
        }
    }
    lines.sort();
    lines
}

/// Asserts that exactly these lines (see [`difference`]) differ; their order does not matter.
pub fn assert_difference(before: &State, after: &State, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    let found = difference(before, after);
    let missing: Vec<&String> = expected
        .iter()
        .filter(|line| !found.contains(line))
        .collect();
    let surplus: Vec<&String> = found
        .iter()
        .filter(|line| !expected.contains(line))
        .collect();
    assert!(
        missing.is_empty() && surplus.is_empty() && found.len() == expected.len(),
        "missing: {missing:#?}\nunexpected: {surplus:#?}"
    );
}
