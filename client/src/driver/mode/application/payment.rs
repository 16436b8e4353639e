//! What an application works out about customers and their payments.

use workload::tpcc::PaymentInput;

/// Position `ceil(n / 2)`, counted from one, of `n` customers sorted by first name (clause 2.5.2.2); here
/// counted from zero.
pub(in crate::driver::mode) fn middle(n: usize) -> usize {
    n.div_ceil(2).saturating_sub(1)
}

/// The data of a customer of bad credit after a payment (clause 2.5.2.2).
pub(in crate::driver::mode) fn bad_credit_data(
    input: &PaymentInput,
    c_id: i32,
    c_data: &str,
) -> String {
    let PaymentInput {
        w_id,
        d_id,
        c_w_id,
        c_d_id,
        amount,
        ..
    } = input;
    let data = format!("{c_id} {c_d_id} {c_w_id} {d_id} {w_id} {amount} {c_data}");
    match data.char_indices().nth(500) {
        Some((end, _)) => data[..end].to_owned(),
        None => data,
    }
}

/// The data of a payment's history (clause 2.5.2.2).
pub(in crate::driver::mode) fn history_data(w_name: &str, d_name: &str) -> String {
    format!("{w_name}    {d_name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::tpcc::{Cents, CustomerSelector};

    #[test]
    fn the_middle_is_the_standards() {
        assert_eq!([1, 2, 3, 4, 5].map(middle), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn data_is_cut_at_500_characters() {
        let input = PaymentInput {
            w_id: 1,
            d_id: 2,
            c_w_id: 3,
            c_d_id: 4,
            customer: CustomerSelector::ById(5),
            amount: Cents(1_005),
        };
        assert_eq!(bad_credit_data(&input, 5, "é"), "5 4 3 2 1 10.05 é");
        let cut = bad_credit_data(&input, 5, &"é".repeat(500));
        assert_eq!(cut.chars().count(), 500);
        assert!(cut.starts_with("5 4 3 2 1 10.05 é"));
    }
}
