//! The twelve consistency conditions (clause 3.3.2) as queries.

/// The conditions' queries, by number from 1, `{schema}` being the quoted schema. Each gives one row:
/// violations and an example.
pub const CONDITIONS: [&str; 12] = [
    include_str!("../../../sql/checks/01.sql"),
    include_str!("../../../sql/checks/02.sql"),
    include_str!("../../../sql/checks/03.sql"),
    include_str!("../../../sql/checks/04.sql"),
    include_str!("../../../sql/checks/05.sql"),
    include_str!("../../../sql/checks/06.sql"),
    include_str!("../../../sql/checks/07.sql"),
    include_str!("../../../sql/checks/08.sql"),
    include_str!("../../../sql/checks/09.sql"),
    include_str!("../../../sql/checks/10.sql"),
    include_str!("../../../sql/checks/11.sql"),
    include_str!("../../../sql/checks/12.sql"),
];

/// What a condition asks for: the first line of its file, without the mark.
pub fn description(sql: &str) -> &str {
    sql.lines()
        .next()
        .and_then(|line| line.strip_prefix("-- condition: "))
        .unwrap_or_default()
}
