//! The data of a schema, as a run must know it; to be replaced by the full look.
#![allow(missing_docs)]
use clap::Args;
#[derive(Debug, Clone)]
pub struct Data {
    pub schema: String,
    pub quoted: String,
    pub warehouses: i32,
    pub load_seed: i64,
    pub c_last_load: i32,
}
#[derive(Args)]
pub struct SetArgs {
    #[arg(long, default_value = "tpcc")]
    pub schema: String,
    #[arg(long, default_value_t = 1)]
    pub tables: u32,
}
impl SetArgs {
    pub fn schemas(&self) -> Vec<String> {
        if self.tables == 1 {
            vec![self.schema.clone()]
        } else {
            (1..=self.tables)
                .map(|i| format!("{}{i}", self.schema))
                .collect()
        }
    }
}
pub async fn inspect(
    client: &tokio_postgres::Client,
    schema: &str,
) -> Result<Data, tokio_postgres::Error> {
    let q = format!("\"{schema}\"");
    let row = client.query_one(&format!("SELECT (SELECT count(*)::int4 FROM {q}.warehouse), seed, c_last_load FROM {q}.tpcc_scale"), &[]).await?;
    Ok(Data {
        schema: schema.into(),
        quoted: q,
        warehouses: row.get(0),
        load_seed: row.get(1),
        c_last_load: row.get(2),
    })
}
