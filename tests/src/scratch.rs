//! A folder in which the client under test makes a cluster by itself.

use std::path::Path;

use tpcc::cluster::Place;
use tpcc::cluster::config::Config as PgrxToml;

use crate::cluster::{clusters_folder, unique_folder};
use crate::watchdog::Watchdog;

/// A folder that does not exist yet; a server in it ends, and the folder goes, with this value.
pub struct Scratch {
    place: Place,
    _watchdog: Watchdog,
}

impl Scratch {
    /// A folder for `tpcc demo`, where the server's account can go.
    pub fn for_demo() -> Scratch {
        let port = PgrxToml::get().cluster.demo.port;
        let place = Place::new(&unique_folder(), port).expect("an absolute path");
        let watchdog = Watchdog::over(&place, &clusters_folder().join("demo.log"));
        Scratch {
            place,
            _watchdog: watchdog,
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.place.dir()
    }

    /// The paths of the cluster in it.
    pub fn place(&self) -> &Place {
        &self.place
    }
}
