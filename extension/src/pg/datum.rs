//! Datums made and read by hand where pgrx's conversions would copy.

use pgrx::pg_sys;

use super::numeric::Decimal;

/// A varlena with a four-byte header in the current memory context.
pub fn varlena(body: &[u8]) -> pg_sys::Datum {
    let length = body.len() + pg_sys::VARHDRSZ;
    // SAFETY: palloc returns `length` writable bytes, aligned for the header.
    unsafe {
        let copy = pg_sys::palloc(length).cast::<u8>();
        pgrx::varlena::set_varsize_4b(copy.cast(), length as i32);
        std::ptr::copy_nonoverlapping(body.as_ptr(), copy.add(pg_sys::VARHDRSZ), body.len());
        pg_sys::Datum::from(copy)
    }
}

/// The body of a text, bpchar or numeric datum, detoasted if need be.
///
/// # Safety
/// `datum` is a non-null varlena that lives as long as the result is used.
pub unsafe fn varlena_bytes<'a>(datum: pg_sys::Datum) -> &'a [u8] {
    // SAFETY: the caller vouches for the datum; detoasting gives it back as it is when it is
    // neither compressed nor external.
    unsafe {
        let packed = pg_sys::pg_detoast_datum_packed(datum.cast_mut_ptr());
        pgrx::varlena::varlena_to_byte_slice(packed)
    }
}

/// An array of fixed-length `int4`.
pub fn int4_array(values: impl ExactSizeIterator<Item = i32>) -> pg_sys::Datum {
    let mut elements: Elements = values.map(pg_sys::Datum::from).collect();
    array(
        &mut elements,
        pg_sys::INT4OID,
        4,
        true,
        pg_sys::TYPALIGN_INT,
    )
}

/// An array of fixed-length `int2`.
pub fn int2_array(values: impl ExactSizeIterator<Item = i16>) -> pg_sys::Datum {
    let mut elements: Elements = values.map(pg_sys::Datum::from).collect();
    array(
        &mut elements,
        pg_sys::INT2OID,
        2,
        true,
        pg_sys::TYPALIGN_SHORT,
    )
}

/// An array of `text`.
pub fn text_array<'a>(values: impl ExactSizeIterator<Item = &'a [u8]>) -> pg_sys::Datum {
    let mut elements: Elements = values.map(varlena).collect();
    array(
        &mut elements,
        pg_sys::TEXTOID,
        -1,
        false,
        pg_sys::TYPALIGN_INT,
    )
}

/// An array of `numeric` with two decimals, from cents.
pub fn cents_array(values: impl ExactSizeIterator<Item = i64>) -> pg_sys::Datum {
    let mut elements: Elements = values
        .map(|cents| Decimal::cents(cents).to_datum())
        .collect();
    array(
        &mut elements,
        pg_sys::NUMERICOID,
        -1,
        false,
        pg_sys::TYPALIGN_INT,
    )
}

type Elements = Vec<pg_sys::Datum>;

fn array(
    elements: &mut [pg_sys::Datum],
    element_type: pg_sys::Oid,
    length: i32,
    by_value: bool,
    align: u8,
) -> pg_sys::Datum {
    // SAFETY: the elements are datums of `element_type`, whose storage the arguments describe.
    unsafe {
        let array = pg_sys::construct_array(
            elements.as_mut_ptr(),
            elements.len() as i32,
            element_type,
            length as _,
            by_value,
            align as _,
        );
        pg_sys::Datum::from(array)
    }
}
