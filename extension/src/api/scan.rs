//! `scan_run`, which needs nothing of the extension but a place in it.

use pgrx::prelude::*;

extension_sql_file!("../../../sql/scan/scan_run.sql", name = "scan_run");
