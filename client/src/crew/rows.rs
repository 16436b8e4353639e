//! Rows as PostgreSQL's binary COPY takes them.

use bytes::{BufMut, Bytes, BytesMut};
use workload::row::{ColumnWriter, Record};

/// How much is sent at once, in bytes.
const CHUNK: usize = 128 * 1024;
/// More than the longest row takes.
const LONGEST_ROW: usize = 2 * 1024;
/// What a binary COPY begins with: a mark, no flags, no extension of the header.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// What it ends with, in the place of a row's number of columns.
const TRAILER: i16 = -1;

/// Packs rows into chunks, each with its number of rows; the last one ends with the trailer.
pub(crate) fn chunks<R: Record>(
    mut rows: impl Iterator<Item = R>,
) -> impl Iterator<Item = (Bytes, u64)> {
    let mut buffer = BytesMut::with_capacity(CHUNK + LONGEST_ROW);
    buffer.put_slice(HEADER);
    let mut at_end = false;
    std::iter::from_fn(move || {
        if at_end {
            return None;
        }
        let mut count = 0;
        while buffer.len() < CHUNK {
            let Some(row) = rows.next() else {
                buffer.put_i16(TRAILER);
                at_end = true;
                break;
            };
            buffer.reserve(LONGEST_ROW);
            buffer.put_i16(R::COLUMNS.len() as i16);
            row.write(&mut Fields(&mut buffer));
            count += 1;
        }
        let chunk = buffer.split().freeze();
        buffer.reserve(CHUNK + LONGEST_ROW);
        Some((chunk, count))
    })
}

struct Fields<'a>(&'a mut BytesMut);

impl ColumnWriter for Fields<'_> {
    #[inline]
    fn int2(&mut self, value: i16) {
        self.0.put_i32(2);
        self.0.put_i16(value);
    }

    #[inline]
    fn int4(&mut self, value: i32) {
        self.0.put_i32(4);
        self.0.put_i32(value);
    }

    #[inline]
    fn text(&mut self, value: &[u8]) {
        self.0.put_i32(value.len() as i32);
        self.0.put_slice(value);
    }

    /// The server pads what is shorter than its type.
    #[inline]
    fn blanks(&mut self, _length: usize) {
        self.text(b"");
    }

    #[inline]
    fn numeric(&mut self, unscaled: i64, scale: u8) {
        // numeric_recv: number of digits to the base 10,000, weight of the first, sign, decimals shown.
        let padding = (4 - scale % 4) % 4;
        // Our widest column, numeric(16,2), stays below 10^18 with the padding.
        let mut rest = unscaled.unsigned_abs() * 10u64.pow(padding.into());
        let mut digits = [0i16; 8];
        let mut count = 0;
        let mut last = usize::MAX;
        while rest > 0 {
            digits[count] = (rest % 10_000) as i16;
            if digits[count] != 0 && last == usize::MAX {
                last = count;
            }
            rest /= 10_000;
            count += 1;
        }
        let last = last.min(count);
        let decimals = i16::from(scale.div_ceil(4));
        self.0.put_i32(8 + 2 * (count - last) as i32);
        self.0.put_i16((count - last) as i16);
        self.0.put_i16(if count == 0 {
            0
        } else {
            count as i16 - 1 - decimals
        });
        self.0.put_i16(if unscaled < 0 { 0x4000 } else { 0 });
        self.0.put_i16(scale.into());
        for digit in digits[last..count].iter().rev() {
            self.0.put_i16(*digit);
        }
    }

    #[inline]
    fn timestamp(&mut self, us_since_2000: i64) {
        self.0.put_i32(8);
        self.0.put_i64(us_since_2000);
    }

    #[inline]
    fn null(&mut self) {
        self.0.put_i32(-1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(unscaled: i64, scale: u8) -> Vec<i16> {
        let mut buffer = BytesMut::new();
        Fields(&mut buffer).numeric(unscaled, scale);
        let pairs = buffer[4..].chunks(2);
        pairs.map(|b| i16::from_be_bytes([b[0], b[1]])).collect()
    }

    #[test]
    fn numerics_are_digits_to_the_base_of_ten_thousand() {
        assert_eq!(numeric(0, 2), [0, 0, 0, 2]);
        assert_eq!(numeric(5_000_000, 2), [1, 1, 0, 2, 5]);
        assert_eq!(numeric(-1_000, 2), [1, 0, 0x4000, 2, 10]);
        assert_eq!(numeric(1, 2), [1, -1, 0, 2, 100]);
        assert_eq!(numeric(1_234, 4), [1, -1, 0, 4, 1_234]);
        assert_eq!(numeric(30_000_001, 2), [3, 1, 0, 2, 30, 0, 100]);
    }

    #[test]
    fn rows_are_framed_and_counted() {
        let packed: Vec<_> = chunks(workload::tpcb::Account::<false>::of(1)).collect();
        assert!(packed.len() > 2);
        assert_eq!(packed.iter().map(|(_, rows)| rows).sum::<u64>(), 100_000);
        let bytes: Vec<u8> = packed
            .iter()
            .flat_map(|(chunk, _)| chunk.to_vec())
            .collect();
        assert_eq!(bytes[..HEADER.len()], *HEADER);
        assert_eq!(bytes[HEADER.len()..HEADER.len() + 2], [0, 4]);
        let row = 2 + 3 * 8 + 4;
        assert_eq!(bytes.len(), HEADER.len() + 100_000 * row + 2);
        assert_eq!(bytes[bytes.len() - 2..], [0xff, 0xff]);
    }
}
