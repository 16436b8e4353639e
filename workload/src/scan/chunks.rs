//! The rows of the table, cut into the chunks that are made in one transaction each.

/// Rows of a whole chunk: some seconds of work at most, so that a lost connection costs little.
pub const CHUNK_ROWS: i64 = 100_000;

/// Rows from `first` to `last`, both included; the first row of a table is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first row.
    pub first: i64,
    /// The last row.
    pub last: i64,
}

impl Span {
    /// How many rows that are.
    pub fn rows(&self) -> i64 {
        self.last - self.first + 1
    }
}

/// The chunks of a table that are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks(Vec<Span>);

impl Chunks {
    /// What is missing of rows 1 to `rows` where `made` is there, in any order. Chunks end at multiples of
    /// [`CHUNK_ROWS`], so that two loads of different size cut the rows alike.
    pub fn missing(rows: i64, made: &[Span]) -> Chunks {
        let mut made = made.to_vec();
        made.sort_unstable_by_key(|span| span.first);
        let mut chunks = Vec::new();
        let mut next = 1;
        let end = Span {
            first: rows + 1,
            last: rows,
        };
        for span in made
            .into_iter()
            .filter(|span| span.first <= rows)
            .chain([end])
        {
            while next < span.first {
                let chunk_end = (next + CHUNK_ROWS - 1) / CHUNK_ROWS * CHUNK_ROWS;
                let last = chunk_end.min(span.first - 1);
                chunks.push(Span { first: next, last });
                next = last + 1;
            }
            next = next.max(span.last + 1);
        }
        Chunks(chunks)
    }

    /// How many rows are missing.
    pub fn rows(&self) -> i64 {
        self.0.iter().map(Span::rows).sum()
    }

    /// The chunks in the order of their rows.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }
}
