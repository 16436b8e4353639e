//! Which functions are called; to be replaced by the full choice.
#![allow(missing_docs)]
use workload::result::Flavour;
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum FlavourArg {
    Native,
    Plpgsql,
}
impl From<FlavourArg> for Flavour {
    fn from(a: FlavourArg) -> Flavour {
        match a {
            FlavourArg::Native => Flavour::Native,
            FlavourArg::Plpgsql => Flavour::Plpgsql,
        }
    }
}
pub async fn choose(
    _: &tokio_postgres::Client,
    _: Option<Flavour>,
) -> Result<Flavour, tokio_postgres::Error> {
    Ok(Flavour::Native)
}
pub async fn ensure(_: &tokio_postgres::Client, _: &str) -> Result<(), tokio_postgres::Error> {
    Ok(())
}
