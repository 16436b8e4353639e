//! `numeric` as it goes over the wire, for amounts and rates of a few digits after the point.
//!
//! Its binary form is digits to the base of 10,000: their number, the weight of the first (the power of
//! 10,000 that it counts), the sign, how many decimal digits show after the point, and the digits.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, Type};
use workload::tpcc::Cents;

const BASE: u64 = 10_000;
const POSITIVE: u16 = 0;
const NEGATIVE: u16 = 0x4000;

/// Appends an amount in binary.
pub(super) fn encode(amount: Cents, out: &mut BytesMut) {
    let cents = amount.0.unsigned_abs();
    let (mut whole, part) = (cents / 100, (cents % 100) as u16 * 100);
    let mut digits = [0; 6];
    let mut count = 0;
    while whole > 0 {
        digits[count] = (whole % BASE) as u16;
        whole /= BASE;
        count += 1;
    }
    out.put_u16(count as u16 + 1);
    out.put_i16(count as i16 - 1);
    out.put_u16(if amount.0 < 0 { NEGATIVE } else { POSITIVE });
    out.put_u16(2);
    for digit in digits[..count].iter().rev() {
        out.put_u16(*digit);
    }
    out.put_u16(part);
}

/// A number in units of `10^-SCALE`; further digits are none in the columns that are read so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal<const SCALE: u32>(pub(super) i64);

impl<const SCALE: u32> Decimal<SCALE> {
    /// Reads its text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let missing = SCALE.checked_sub(part.len().try_into().ok()?)?;
        let unscaled: i64 = format!("{whole}{part}").parse().ok()?;
        Some(Decimal(sign * unscaled.checked_mul(10_i64.pow(missing))?))
    }
}

impl<'a, const SCALE: u32> FromSql<'a> for Decimal<SCALE> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        decode(raw, SCALE).map(Decimal).ok_or_else(|| {
            format!("a numeric with {SCALE} digits after the point was expected").into()
        })
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::NUMERIC
    }
}

fn decode(raw: &[u8], scale: u32) -> Option<i64> {
    let (head, digits) = raw.split_at_checked(8)?;
    let weight = i16::from_be_bytes([head[2], head[3]]);
    let sign = match u16::from_be_bytes([head[4], head[5]]) {
        POSITIVE => 1,
        NEGATIVE => -1,
        _ => return None,
    };
    let mut sum = 0_i128;
    for (i, digit) in digits.chunks_exact(2).enumerate() {
        let digit = i128::from(u16::from_be_bytes([digit[0], digit[1]]));
        let power = 4 * (i32::from(weight) - i as i32) + scale as i32;
        sum += match u32::try_from(power) {
            Ok(power) => digit.checked_mul(10_i128.checked_pow(power)?)?,
            Err(_) => digit / 10_i128.checked_pow(power.unsigned_abs())?,
        };
    }
    i64::try_from(sign * sum).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for cents in [
            0,
            1,
            10,
            99,
            100,
            101,
            500_000,
            999_999,
            1_000_000,
            12_345_678_901,
            -1_000,
            i64::MAX,
        ] {
            let mut out = BytesMut::new();
            encode(Cents(cents), &mut out);
            let decoded = Decimal::<2>::from_sql(&Type::NUMERIC, &out).unwrap();
            assert_eq!(decoded, Decimal(cents));
        }
    }

    #[test]
    fn rates_and_text_are_read() {
        // 0.0725: one digit of weight -1.
        let raw = [0, 1, 0xff, 0xff, 0, 0, 0, 4, 0x02, 0xd5];
        assert_eq!(
            Decimal::<4>::from_sql(&Type::NUMERIC, &raw).unwrap(),
            Decimal(725)
        );
        assert_eq!(Decimal::<4>::parse("0.0725"), Some(Decimal(725)));
        assert_eq!(Decimal::<2>::parse("-10.00"), Some(Decimal(-1000)));
        assert_eq!(Decimal::<2>::parse("7"), Some(Decimal(700)));
        assert_eq!(Decimal::<2>::parse("NaN"), None);
        assert_eq!(Decimal::<2>::parse("1.005"), None);
        let not_a_number = [0, 0, 0, 0, 0xc0, 0, 0, 0];
        assert!(Decimal::<2>::from_sql(&Type::NUMERIC, &not_a_number).is_err());
    }
}
