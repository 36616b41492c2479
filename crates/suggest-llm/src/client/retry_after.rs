//! How long a server asks to wait, in all the places where servers say so.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// The delay that the headers name. `now` is what dates are measured against.
pub(crate) fn from_headers(headers: &HeaderMap, status: u16, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    text("retry-after-ms")
        .and_then(|value| value.parse::<f64>().ok())
        .and_then(|millis| seconds(millis / 1000.0))
        .or_else(|| text("retry-after").and_then(|value| retry_after(value, now)))
        .or_else(|| if status == 429 { rate_limit_reset(&text) } else { None })
}

/// A `Retry-After` value: seconds or an HTTP date. What lies in the past means at once.
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    if let Ok(date) = httpdate::parse_http_date(value) {
        return Some(date.duration_since(now).unwrap_or(Duration::ZERO).min(LONGEST));
    }
    duration(value)
}

/// The reset time of the limit that is used up, else of the one that most often is.
fn rate_limit_reset<'a>(text: &impl Fn(&str) -> Option<&'a str>) -> Option<Duration> {
    let of = |what: &str| text(&format!("x-ratelimit-reset-{what}")).and_then(duration);
    let used_up = |what: &str| text(&format!("x-ratelimit-remaining-{what}")) == Some("0");
    let kinds = ["tokens", "requests"];
    kinds
        .iter()
        .find(|what| used_up(what))
        .and_then(|what| of(what))
        .or_else(|| kinds.iter().find_map(|what| of(what)))
}

/// A delay in an error's text: "please try again in 4.77s".
pub(crate) fn from_text(lower: &str) -> Option<Duration> {
    let (_, rest) = lower.split_once("try again in ").or_else(|| lower.split_once("retry in "))?;
    let mut words = rest.split_whitespace();
    let first = words.next()?.trim_end_matches(['.', ',', ')', '!']);
    if let Ok(number) = first.parse::<f64>() {
        return match words.next().unwrap_or_default() {
            unit if unit.starts_with("ms") || unit.starts_with("milli") => seconds(number / 1000.0),
            unit if unit.starts_with("min") => seconds(number * 60.0),
            unit if unit.starts_with("sec") => seconds(number),
            _ => None,
        };
    }
    duration(first)
}

/// Durations as Go prints them: `6m0s`, `7.66s`, `76ms`, `1h2m3s`.
pub(crate) fn duration(value: &str) -> Option<Duration> {
    let mut rest = value.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !(character.is_ascii_digit() || character == '.'))?;
        let (number, unit_and_more) = rest.split_at(digits);
        let number: f64 = number.parse().ok()?;
        let letters = unit_and_more
            .find(|character: char| !character.is_ascii_alphabetic())
            .unwrap_or(unit_and_more.len());
        let (unit, more) = unit_and_more.split_at(letters);
        total += number
            * match unit {
                "d" => 86_400.0,
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                "us" | "ns" => 0.0,
                _ => return None,
            };
        rest = more;
    }
    seconds(total)
}

/// The longest delay that is believed to be one: a week. What is longer ends the call all the same.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A negative number is no delay, so that the client keeps its own pace.
fn seconds(number: f64) -> Option<Duration> {
    (number.is_finite() && number >= 0.0)
        .then(|| Duration::try_from_secs_f64(number).unwrap_or(LONGEST).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn delay(status: u16, headers: &[(&'static str, &str)]) -> Option<f64> {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:27:30 GMT").unwrap();
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        from_headers(&headers, status, now).map(|delay| delay.as_secs_f64())
    }

    #[test]
    fn every_spelling_of_a_delay_is_read_l4() {
        for (value, expected) in [
            ("3", Some(3.0)),
            ("0.5", Some(0.5)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", Some(30.0)),
            ("Wed, 21 Oct 2020 07:28:00 GMT", Some(0.0)),
            ("6m0s", Some(360.0)),
            ("76ms", Some(0.076)),
            ("0", Some(0.0)),
            ("-1", None),
            ("1e9", Some(604_800.0)),
            ("99999999999999999999999", Some(604_800.0)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(604_800.0)),
            ("", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
        ] {
            assert_eq!(delay(503, &[("retry-after", value)]), expected, "{value:?}");
        }
        assert_eq!(delay(503, &[("retry-after", "9"), ("retry-after-ms", "1500")]), Some(1.5));
    }

    #[test]
    fn reset_headers_count_for_rate_limits_only() {
        let both = [
            ("x-ratelimit-reset-tokens", "7.66s"),
            ("x-ratelimit-reset-requests", "6m0s"),
            ("x-ratelimit-remaining-requests", "0"),
        ];
        assert_eq!(delay(429, &both), Some(360.0));
        assert_eq!(delay(429, both.get(..2).unwrap()), Some(7.66));
        assert_eq!(delay(500, &both), None);
    }

    #[test]
    fn delays_in_prose_are_read() {
        assert_eq!(from_text("please try again in 4.77s. visit"), Some(Duration::from_millis(4770)));
        assert_eq!(from_text("try again in 20 seconds"), Some(Duration::from_secs(20)));
        assert_eq!(from_text("try again later"), None);
        assert_eq!(from_text("try again in a while"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in ".{0,40}") {
            let _ = duration(&text);
            let _ = from_text(&format!("try again in {text}"));
            let _ = retry_after(&text, SystemTime::UNIX_EPOCH);
        }
    }
}
