//! The files that `tpcc run` writes.

use std::path::Path;

use workload::result::{ResultDocument, ResultSet};

use crate::report::{OutputError, OutputFile};

/// The files that were asked for, open before anything is measured.
pub struct Files {
    json: Option<OutputFile>,
    csv: Option<OutputFile>,
}

impl Files {
    /// Opens them.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn open(json: Option<&Path>, csv: Option<&Path>) -> Result<Files, OutputError> {
        Ok(Files {
            json: json.map(OutputFile::open).transpose()?,
            csv: csv.map(OutputFile::open).transpose()?,
        })
    }

    /// Writes them: a document, or a set of them for several modes.
    ///
    /// # Errors
    /// When the disk is full, for instance.
    pub fn write(self, documents: &[ResultDocument]) -> Result<(), OutputError> {
        if let Some(file) = self.json {
            let mut text = match documents {
                [document] => document.to_json_pretty(),
                several => ResultSet::new(several.to_vec()).to_json_pretty(),
            };
            text.push('\n');
            file.write(text.as_bytes())?;
        }
        if let Some(file) = self.csv {
            file.write(&series(documents))?;
        }
        Ok(())
    }
}

/// A line a second and mode.
fn series(documents: &[ResultDocument]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut heading = vec!["mode".to_owned(), "t_s".to_owned()];
    // All documents are of one workload.
    let workload = documents[0].config.workload();
    heading.extend(workload.transactions.iter().map(|&name| name.to_owned()));
    let others = [
        "rolled_back",
        "failed",
        "retries",
        "p95_us",
        "connections",
        "reads",
        "writes",
        "other",
        "reconnects",
    ];
    heading.extend(others.map(str::to_owned));
    let in_memory = "memory does not fail to be written to";
    writer.write_record(&heading).expect(in_memory);
    for document in documents {
        for point in &document.series {
            let mut record = vec![document.mode.name().to_owned(), point.t_s.to_string()];
            record.extend(workload.kinds().map(|kind| {
                let committed = point.committed.get(&kind).copied().unwrap_or(0);
                committed.to_string()
            }));
            record.extend(
                [point.rolled_back, point.failed, point.retries, point.p95_us]
                    .map(|count| count.to_string()),
            );
            match &point.client {
                Some(client) => record.extend(
                    [
                        u64::from(client.connections),
                        client.statements.reads,
                        client.statements.writes,
                        client.statements.other,
                        client.reconnects,
                    ]
                    .map(|count| count.to_string()),
                ),
                None => record.extend(std::iter::repeat_n(String::new(), 5)),
            }
            writer.write_record(&record).expect(in_memory);
        }
    }
    writer.into_inner().expect(in_memory)
}
