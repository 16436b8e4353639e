//! The client of pg_tpcc: a library that the `tpcc` command and the tests share.
//!
//! * [`cluster`]: a private PostgreSQL cluster, for the demo and for the tests,
//! * [`connect`]: how the client finds and reaches a database,
//! * [`wire`]: what lies between its code and the server's socket,
//! * [`driver`]: the load, one file a mode,
//! * [`crew`]: the connections of a load, whatever it loads,
//! * [`load`]: the initial population over several connections,
//! * [`scan`]: the parallel scan, loaded and measured,
//! * [`schema`]: the schema with the data: names, sets, what is in it,
//! * [`probe`]: where the time of a round trip goes,
//! * [`flavour`]: whose functions run the transactions,
//! * [`report`]: what it prints,
//! * [`cli`]: the verbs of the command.

pub mod cli;
pub mod cluster;
pub mod connect;
pub mod crew;
pub mod driver;
pub mod flavour;
pub mod load;
pub mod oltp;
pub mod probe;
pub mod report;
pub mod scan;
pub mod schema;
pub mod tpcb;
pub mod wire;
