//! Spans of time on the command line: `10s`, `500ms`, `2min`, `1h`, or plain seconds.

use std::time::Duration;

/// Reads a span of time.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("the unit \"{unit}\" is none of ms, s, min, h")),
    };
    let seconds = number
        .parse::<f64>()
        .map_err(|_| "a span of time looks like 10s or 2min".to_owned())?;
    match Duration::try_from_secs_f64(seconds * factor) {
        Ok(span) if !span.is_zero() => Ok(span),
        _ => Err("a span of time must be more than nothing".into()),
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
    fn nonsense_is_refused() {
        for text in ["", "s", "10 parsecs", "0s", "-1s", "1.2.3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
