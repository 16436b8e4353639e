//! Spans of time on the command line: `10s`, `500ms`, `2min`, `1h`, or plain seconds.

use std::time::Duration;

/// How a text that is no span of time is answered.
const LOOKS_LIKE: &str = "a span of time looks like 10s, 250ms or 2min";

/// Reads a span of time.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "us" => 0.000_001,
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ if number.is_empty() => return Err(LOOKS_LIKE.to_owned()),
        unit => {
            return Err(format!(
                "the unit is \"{unit}\": us, ms, s, min or h was expected"
            ));
        }
    };
    let seconds = number.parse::<f64>().map_err(|_| LOOKS_LIKE.to_owned())?;
    match Duration::try_from_secs_f64(seconds * factor) {
        Ok(span) if !span.is_zero() => Ok(span),
        _ => Err("a span of time must be longer than 0".into()),
    }
}

/// The same, and 0 for none.
pub(super) fn parse_or_none(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if digits.parse() == Ok(0.0) {
        return Ok(Duration::ZERO);
    }
    parse(text)
}

/// The same, where a number without a unit is in milliseconds, as pgbench's limit is.
pub(super) fn parse_milliseconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(_) => parse(&format!("{text}ms")),
        Err(_) => parse(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        assert_eq!(parse("10"), Ok(Duration::from_secs(10)));
        assert_eq!(parse("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("2min"), Ok(Duration::from_secs(120)));
        assert_eq!(parse("1h"), Ok(Duration::from_secs(3600)));
    }

    #[test]
    fn none_and_milliseconds_are_understood() {
        assert_eq!(parse_or_none("0"), Ok(Duration::ZERO));
        assert_eq!(parse_or_none("0ms"), Ok(Duration::ZERO));
        assert_eq!(parse_or_none("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse_milliseconds("20"), Ok(Duration::from_millis(20)));
        assert_eq!(parse_milliseconds("2s"), Ok(Duration::from_secs(2)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "s", "10 parsecs", "0s", "-1s", "1.2.3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
