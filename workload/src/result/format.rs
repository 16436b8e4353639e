//! What documents say of themselves, and sets of them.

use serde::{Deserialize, Serialize};

use super::{FORMAT_NAME, FORMAT_VERSION, ResultDocument};

/// A text that is no result document this version can read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// Not JSON, cut in the middle, or not with the fields that a result document has.
    #[error("not a result document, or only a part of one: {0}")]
    NotADocument(#[from] serde_json::Error),
    /// A document of something else.
    #[error("not a result document: its format is \"{0}\", and not \"{FORMAT_NAME}\"")]
    OtherFormat(String),
    /// A version of the format that came later, or never.
    #[error(
        "the result document has version {0} of its format, and this program reads version {FORMAT_VERSION}: use the program that wrote it, or a newer one"
    )]
    UnknownVersion(u32),
    /// Not the transaction types of its workload.
    #[error(
        "not a whole result document: it has {found} transaction types, and its workload has {expected}"
    )]
    OtherTypes {
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A workload that came later, or never.
    #[error(
        "the result document is of the workload \"{0}\", which this program does not know: use the program that wrote it, or a newer one"
    )]
    UnknownWorkload(String),
}

/// What a document says of itself first.
#[derive(Deserialize)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
}

impl Header {
    /// Finds the format that is wanted, in the version that this program reads.
    pub(crate) fn check(&self, wanted: &str, version: u32) -> Result<(), FormatError> {
        if self.format != wanted {
            return Err(FormatError::OtherFormat(self.format.clone()));
        }
        if self.version != version {
            return Err(FormatError::UnknownVersion(self.version));
        }
        Ok(())
    }
}

/// What every set of result documents says it is.
pub const SET_FORMAT_NAME: &str = "pg_tpcc result set";

/// The documents of runs that belong together, such as one a mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSet {
    /// [`SET_FORMAT_NAME`].
    pub format: String,
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The documents, in the order of the runs.
    pub results: Vec<ResultDocument>,
}

impl ResultSet {
    /// A set of documents.
    pub fn new(results: Vec<ResultDocument>) -> ResultSet {
        ResultSet {
            format: SET_FORMAT_NAME.to_owned(),
            version: FORMAT_VERSION,
            results,
        }
    }

    /// Reads a set, or a single document as a set of one.
    ///
    /// # Errors
    /// [`FormatError`] if the text is neither, or one of another version of the format.
    pub fn parse(json: &str) -> Result<ResultSet, FormatError> {
        let header: Header = serde_json::from_str(json)?;
        if header.format == FORMAT_NAME {
            return Ok(ResultSet::new(vec![ResultDocument::parse(json)?]));
        }
        header.check(SET_FORMAT_NAME, FORMAT_VERSION)?;
        let set: ResultSet = serde_json::from_str(json)?;
        for result in &set.results {
            Header {
                format: result.format.clone(),
                version: result.version,
            }
            .check(FORMAT_NAME, FORMAT_VERSION)?;
            result.check_workload()?;
        }
        Ok(set)
    }

    /// The set as JSON for people.
    pub fn to_json_pretty(&self) -> String {
        serde_json::to_string_pretty(self)
            .expect("result documents have string keys and finite numbers")
    }
}
