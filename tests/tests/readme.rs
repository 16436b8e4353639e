//! The documents are right: each SQL command of the README runs, in the order of the page.

use tests::Cluster;

#[tokio::test]
async fn the_commands_of_the_readme_run() {
    let database = Cluster::shared().fresh_empty_database().await;
    let session = database.connect().await;
    let blocks = sql_blocks(include_str!("../../README.md"));
    assert!(blocks.len() >= 6, "found {} blocks of SQL", blocks.len());
    for block in blocks {
        for statement in block.split_inclusive(";\n") {
            if let Err(error) = session.simple_query(statement).await {
                panic!("{}\nin: {statement}", tests::sql::describe(&error));
            }
        }
    }
}

/// What stands between lines of three backquotes marked `sql`.
fn sql_blocks(page: &str) -> Vec<&str> {
    page.split("```sql\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}
