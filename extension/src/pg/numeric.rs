//! PostgreSQL's numeric, read and written without its arithmetic.
//!
//! Format: `NumericData` in PostgreSQL's numeric.c, the same in 14 to 18: a 16-bit header
//! (short: flags, display scale and weight in one word; long: sign and scale, then weight),
//! then base-10000 digits, most significant first.

use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::{AnyNumeric, IntoDatum};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

use super::error::{Result, ServerError, SqlState};

const SHORT: u16 = 0x8000;
const SHORT_NEGATIVE: u16 = 0x2000;
const SHORT_SCALE_SHIFT: u16 = 7;
const SHORT_WEIGHT_SIGN: u16 = 0x0040;
const SHORT_WEIGHT: u16 = 0x003F;
const SPECIAL: u16 = 0xC000;
const NEGATIVE: u16 = 0x4000;
const BASE: u64 = 10_000;
const POWERS: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// A numeric of at most four decimals: `unscaled / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The number without its point.
    pub unscaled: i64,
    /// Decimals after the point, 0 to 4.
    pub scale: u8,
}

impl Decimal {
    /// An amount of money, in cents.
    pub const fn cents(unscaled: i64) -> Self {
        Self { unscaled, scale: 2 }
    }

    /// A tax or discount, in ten-thousandths.
    pub const fn rate(unscaled: i64) -> Self {
        Self { unscaled, scale: 4 }
    }
}

impl Decimal {
    /// The numeric as a datum in the current memory context.
    pub fn to_datum(self) -> pg_sys::Datum {
        let mut body = [0; MAX_ENCODED];
        let length = encode(self.unscaled, self.scale, &mut body);
        super::datum::varlena(&body[..length])
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let power = POWERS[usize::from(self.scale)];
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let magnitude = self.unscaled.unsigned_abs();
        write!(f, "{sign}{}", magnitude / power)?;
        if self.scale > 0 {
            write!(
                f,
                ".{:0width$}",
                magnitude % power,
                width = usize::from(self.scale)
            )?;
        }
        Ok(())
    }
}

/// The most bytes that [`encode`] writes: header and six digits.
pub const MAX_ENCODED: usize = 14;

/// Writes the body of a numeric (what follows the varlena header) and returns its length.
///
/// `scale` is the column's, 0 to 4.
pub fn encode(unscaled: i64, scale: u8, out: &mut [u8; MAX_ENCODED]) -> usize {
    debug_assert!(scale <= 4);
    let magnitude = unscaled.unsigned_abs();
    let power = POWERS[usize::from(scale)];
    let fraction = (magnitude % power) * (BASE / power);
    let mut integer = magnitude / power;

    let mut digits = [0u16; 6];
    let mut first = 5;
    digits[5] = fraction as u16;
    while integer > 0 {
        first -= 1;
        digits[first] = (integer % BASE) as u16;
        integer /= BASE;
    }
    let mut weight = 4 - first as i32;
    let mut last = 6;
    while last > first && digits[last - 1] == 0 {
        last -= 1;
    }
    while first < last && digits[first] == 0 {
        first += 1;
        weight -= 1;
    }
    let mut header = SHORT | (u16::from(scale) << SHORT_SCALE_SHIFT);
    if first < last {
        header |= (weight as u16) & SHORT_WEIGHT;
        if weight < 0 {
            header |= SHORT_WEIGHT_SIGN;
        }
        if unscaled < 0 {
            header |= SHORT_NEGATIVE;
        }
    }
    out[..2].copy_from_slice(&header.to_ne_bytes());
    let mut length = 2;
    for digit in &digits[first..last] {
        out[length..length + 2].copy_from_slice(&digit.to_ne_bytes());
        length += 2;
    }
    length
}

/// Reads the body of a numeric as a number of ten-to-the-minus-`scale`ths, cut after them.
///
/// Errors: 22003 for NaN, infinities and what does not fit.
pub fn decode(body: &[u8], scale: u8) -> Result<i64> {
    let out_of_range =
        || ServerError::new(SqlState(*b"22003"), "the numeric value is out of range");
    let word = |i: usize| -> Result<u16> {
        body.get(2 * i..2 * i + 2)
            .map(|b| u16::from_ne_bytes([b[0], b[1]]))
            .ok_or_else(|| ServerError::new(SqlState::INTERNAL, "a numeric is too short"))
    };
    let header = word(0)?;
    let (negative, weight, first_digit) = if header & SPECIAL == SPECIAL {
        return Err(out_of_range());
    } else if header & SHORT != 0 {
        let low = i32::from(header & SHORT_WEIGHT);
        let weight = if header & SHORT_WEIGHT_SIGN != 0 {
            low - 64
        } else {
            low
        };
        (header & SHORT_NEGATIVE != 0, weight, 1)
    } else {
        (header & NEGATIVE != 0, i32::from(word(1)? as i16), 2)
    };
    let digits = body.len() / 2 - first_digit;
    let mut value: i64 = 0;
    let mut exponent = weight;
    for i in 0..digits {
        let digit = i64::from(word(first_digit + i)?);
        let part = if exponent >= 0 {
            i64::try_from(BASE)
                .ok()
                .and_then(|base| base.checked_pow(exponent as u32))
                .and_then(|power| power.checked_mul(digit))
                .and_then(|part| part.checked_mul(POWERS[usize::from(scale)] as i64))
                .ok_or_else(out_of_range)?
        } else if exponent == -1 {
            digit / (POWERS[4 - usize::from(scale)] as i64)
        } else {
            0
        };
        value = value.checked_add(part).ok_or_else(out_of_range)?;
        exponent -= 1;
    }
    Ok(if negative { -value } else { value })
}

impl IntoDatum for Decimal {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(self.to_datum())
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::NUMERICOID
    }
}

impl Decimal {
    /// The first four decimals of `value`; `None` for NaN, infinities and what does not fit.
    pub fn of(value: AnyNumeric) -> Option<Self> {
        let datum = value.into_datum()?;
        // SAFETY: a numeric datum that into_datum has just made.
        let body = unsafe { super::datum::varlena_bytes(datum) };
        decode(body, 4)
            .ok()
            .map(|unscaled| Self { unscaled, scale: 4 })
    }
}

// SAFETY: gives a numeric datum in the current memory context.
unsafe impl BoxRet for Decimal {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
        // SAFETY: the caller returns it to the function.
        unsafe { fcinfo.return_raw_datum(self.to_datum()) }
    }
}

// SAFETY: maps to PostgreSQL's own numeric.
unsafe impl SqlTranslatable for Decimal {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Decimal);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: std::result::Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("numeric"));
    const RETURN_SQL: std::result::Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("numeric")));
}
