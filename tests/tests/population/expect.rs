//! What a column must be: assertions over all rows of a table.

use tests::{Connection, sql};

/// Streets, city, state and zip of warehouse, district and customer.
pub async fn addresses(client: &Connection, table: &str, prefix: &str) {
    let wrong = format!(
        "SELECT count(*) FROM tpcc.{table}
         WHERE length({prefix}_street_1) NOT BETWEEN 10 AND 20 OR {prefix}_street_1 !~ '^[0-9A-Za-z]+$'
            OR length({prefix}_street_2) NOT BETWEEN 10 AND 20 OR {prefix}_street_2 !~ '^[0-9A-Za-z]+$'
            OR length({prefix}_city) NOT BETWEEN 10 AND 20 OR {prefix}_city !~ '^[0-9A-Za-z]+$'
            OR {prefix}_state !~ '^[A-Za-z]{{2}}$' OR {prefix}_zip !~ '^[0-9]{{4}}11111$'"
    );
    assert_eq!(sql::number(client, &wrong).await, 0, "addresses of {table}");
}

/// Asserts that none of the rows of `from` meets `condition`.
pub async fn none(client: &Connection, from: &str, condition: &str) {
    let found = sql::number(
        client,
        &format!("SELECT count(*) FROM {from} WHERE {condition}"),
    )
    .await;
    assert_eq!(found, 0, "rows of {from} where {condition}");
}

/// Asserts that the share of rows of `from` that meet `condition` is `share`, to five standard deviations.
pub async fn share(client: &Connection, from: &str, condition: &str, share: f64) {
    let counts = format!("SELECT count(*), count(*) FILTER (WHERE {condition}) FROM {from}");
    let counts: Vec<f64> = sql::table(client, &counts).await[0]
        .iter()
        .map(|n| n.parse().unwrap())
        .collect();
    let (rows, found) = (counts[0], counts[1]);
    let tolerance = 5.0 * (rows * share * (1.0 - share)).sqrt();
    assert!(
        (found - rows * share).abs() <= tolerance,
        "{found} of {rows} rows of {from} have {condition}"
    );
}

/// Asserts that an integer expression takes its values from `low` to `high` uniformly, by a chi-square test: neither
/// further from the expectation than chance, nor closer.
pub async fn uniform(client: &Connection, expression: &str, from: &str, low: i64, high: i64) {
    let size = high - low + 1;
    let buckets = size.min(100);
    let query = format!(
        "SELECT (v - {low}) * {buckets} / {size}, count(*), min(v), max(v)
         FROM (SELECT ({expression})::int8 AS v FROM {from}) AS of_rows GROUP BY 1 ORDER BY 1"
    );
    let mut expected = vec![0.0; buckets as usize];
    for value in 0..size {
        expected[(value * buckets / size) as usize] += 1.0;
    }
    let mut found = vec![0.0; buckets as usize];
    for row in sql::table(client, &query).await {
        let values: Vec<i64> = row.iter().map(|n| n.parse().unwrap()).collect();
        assert!(
            values[2] >= low && values[3] <= high,
            "{expression} of {from}: {} to {}",
            values[2],
            values[3]
        );
        found[values[0] as usize] = values[1] as f64;
    }
    let rows: f64 = found.iter().sum();
    let scaled: Vec<f64> = expected.iter().map(|n| n * rows / size as f64).collect();
    chi_square(&format!("{expression} of {from}"), &found, &scaled);
}

pub fn chi_square(what: &str, found: &[f64], expected: &[f64]) {
    let statistic: f64 = found
        .iter()
        .zip(expected)
        .map(|(n, e)| (n - e) * (n - e) / e)
        .sum();
    let freedom = (found.len() - 1) as f64;
    let tolerance = 6.0 * (2.0 * freedom).sqrt() + 6.0;
    assert!(
        (statistic - freedom).abs() < tolerance,
        "{what}: chi-square {statistic:.1} with {freedom} degrees of freedom"
    );
}

/// A tenth of the rows holds ORIGINAL, anywhere.
pub async fn original(client: &Connection, from: &str, column: &str) {
    share(client, from, &format!("{column} LIKE '%ORIGINAL%'"), 0.1).await;
    let places = format!(
        "SELECT min(place) = 1, max(place) = 43, count(DISTINCT place) = 43, bool_or(place + 7 = length)
         FROM (SELECT position('ORIGINAL' IN {column}) AS place, length({column}) AS length FROM {from}) AS of_rows WHERE place > 0"
    );
    assert_eq!(
        sql::table(client, &places).await,
        [["t", "t", "t", "t"]],
        "places of ORIGINAL in {column}"
    );
}

/// The rows that one query gives and the other does not, both ways, counting repeated ones.
pub async fn differing(client: &Connection, one: &str, other: &str) -> i64 {
    let query = format!(
        "SELECT (SELECT count(*) FROM ({one} EXCEPT ALL {other}) AS a) + (SELECT count(*) FROM ({other} EXCEPT ALL {one}) AS b)"
    );
    sql::number(client, &query).await
}
