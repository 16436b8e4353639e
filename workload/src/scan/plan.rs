//! What EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) tells of one execution.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One execution of the count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its execution time, in milliseconds.
    pub ms: f64,
    /// Parallel workers that the plan asked for.
    pub planned: u32,
    /// Parallel workers that were started for it.
    pub launched: u32,
    /// Blocks that were found in the server's shared buffers.
    pub hit_blocks: u64,
    /// Blocks that were not, and came from the operating system: from its cache or from the disk.
    pub read_blocks: u64,
}

/// Text that is not the plan of an execution.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// It is no JSON.
    #[error("the server's plan is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// Something is not in it.
    #[error("the server's plan has no \"{0}\"")]
    Missing(&'static str),
}

impl Run {
    /// Reads a plan. Workers are added up over all its Gather nodes.
    ///
    /// # Errors
    /// [`PlanError`] for text that is no plan, or one that was not executed.
    pub fn from_plan(json: &str) -> Result<Run, PlanError> {
        let document: Value = serde_json::from_str(json)?;
        let explained = &document[0];
        let plan = &explained["Plan"];
        let blocks = |name: &'static str| plan[name].as_u64().ok_or(PlanError::Missing(name));
        let time = "Execution Time";
        let mut run = Run {
            ms: explained[time].as_f64().ok_or(PlanError::Missing(time))?,
            planned: 0,
            launched: 0,
            hit_blocks: blocks("Shared Hit Blocks")?,
            read_blocks: blocks("Shared Read Blocks")?,
        };
        run.add_workers(plan)?;
        Ok(run)
    }

    fn add_workers(&mut self, node: &Value) -> Result<(), PlanError> {
        if node["Node Type"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("Gather"))
        {
            let workers = |name: &'static str| {
                let number = node[name].as_u64().ok_or(PlanError::Missing(name))?;
                Ok::<_, PlanError>(number as u32)
            };
            self.planned += workers("Workers Planned")?;
            self.launched += workers("Workers Launched")?;
        }
        let children = node["Plans"].as_array().into_iter().flatten();
        children
            .into_iter()
            .try_for_each(|child| self.add_workers(child))
    }

    /// Whether blocks came from outside the shared buffers. Whether they came from the operating system's cache or
    /// from the disk, PostgreSQL does not know. A table that is larger than a quarter of the shared buffers is
    /// read through a small ring of them, and each of its runs is cold.
    pub fn is_cold(&self) -> bool {
        self.read_blocks > 0
    }
}
