//! The flags of `tpcc run`.

use clap::Args;
use workload::tpcc::{HomeWarehouse, Mix};

use super::super::CliError;
use super::flags::RunFlags;
use crate::driver::plan::Pace;
use crate::flavour::FlavourArg;
use crate::schema::SetArgs;

/// The flags of `tpcc run`.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub flags: RunFlags,
    /// Whose functions are called [default: native where the extension is, else plpgsql]
    #[arg(long, value_name = "FLAVOUR")]
    pub flavour: Option<FlavourArg>,
    /// Warehouses to use, the first ones [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub warehouses: Option<u32>,
    /// Shares of the transactions: standard, or weights such as new_order=45,payment=55
    #[arg(long, default_value = "standard")]
    pub mix: Mix,
    /// Wait for the standard's keying and think times
    #[arg(long, conflicts_with = "rate")]
    pub keying_thinking: bool,
    /// Which home warehouse transactions have: fixed, as in the standard, or uniform
    #[arg(long, value_name = "RULE", default_value = "fixed")]
    pub home_warehouse: HomeWarehouse,
    #[command(flatten)]
    pub sets: SetArgs,
}

impl RunArgs {
    /// When transactions are due.
    pub fn pace(&self) -> Pace {
        match self.keying_thinking {
            true => Pace::KeyingThinking,
            false => self.flags.pace(),
        }
    }

    /// Finds what does not go together.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub fn check(&self) -> Result<(), CliError> {
        self.flags.check()?;
        let (tables, connections) = (self.sets.tables, self.flags.connections);
        if tables > connections {
            return Err(CliError::Usage(format!(
                "{connections} connections cannot spread over {tables} table sets: --connections {tables} \
                 at least"
            )));
        }
        Ok(())
    }
}
