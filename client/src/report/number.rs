//! Numbers for people.

/// A number as the server printed it, with the digits of its whole part in groups of three; anything
/// that is no number stays as it is.
pub fn grouped(number: &str) -> String {
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (whole, rest) = unsigned.split_at(unsigned.find('.').unwrap_or(unsigned.len()));
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_groups_of_three() {
        assert_eq!(grouped("7"), "7");
        assert_eq!(grouped("1234567"), "1,234,567");
        assert_eq!(grouped("-123456.789"), "-123,456.789");
        assert_eq!(grouped("100.00 %"), "100.00 %");
        assert_eq!(grouped("new_order"), "new_order");
    }
}
