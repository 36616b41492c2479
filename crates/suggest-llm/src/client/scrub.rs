//! Makes text of an endpoint fit to be shown: one line, bounded, without keys.

/// Most characters that are kept of what an endpoint says.
const LONGEST: usize = 300;

/// One line of at most 300 characters: markup reduced to its title, control characters gone, URL queries dropped, the
/// given key and everything that looks like one masked.
pub(crate) fn endpoint_text(raw: &str, key: Option<&str>) -> Option<String> {
    let raw = if looks_like_markup(raw) { title(raw)? } else { raw };
    let raw = match key {
        Some(key) if !key.is_empty() => raw.replace(key, "[key]"),
        _ => raw.to_owned(),
    };
    let words: Vec<String> = raw
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .map(|word| mask(without_query(word)))
        .collect();
    let line: String = words.join(" ").chars().take(LONGEST).collect();
    (!line.is_empty()).then_some(line)
}

/// An identifier that the endpoint chose (an error code, a parameter's name), if it is short and plain.
pub(crate) fn identifier(raw: &str) -> Option<String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    let fits = (1..=64).contains(&raw.len()) && raw.chars().all(plain) && mask(raw) == raw;
    fits.then(|| raw.to_owned())
}

pub(crate) fn looks_like_markup(raw: &str) -> bool {
    raw.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

fn title(markup: &str) -> Option<&str> {
    let lower = markup.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let open = start + lower.get(start..)?.find('>')? + 1;
    let end = open + lower.get(open..)?.find("</title")?;
    markup.get(open..end)
}

fn without_query(word: &str) -> &str {
    match word.find("://") {
        Some(_) => word.split_once('?').map_or(word, |(address, _)| address),
        None => word,
    }
}

/// Masks what has the look of a key: a known prefix, or a long run of letters and digits mixed.
fn mask(word: &str) -> String {
    let mut masked = String::new();
    for piece in word.split_inclusive(|character: char| !is_key_character(character)) {
        let body = piece.trim_end_matches(|character: char| !is_key_character(character));
        if looks_like_key(body) {
            masked.push_str("[key]");
            masked.push_str(piece.strip_prefix(body).unwrap_or_default());
        } else {
            masked.push_str(piece);
        }
    }
    masked
}

fn is_key_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_*".contains(character)
}

fn looks_like_key(body: &str) -> bool {
    const PREFIXES: [&str; 9] = ["sk-", "sk_", "gsk_", "AIza", "xai-", "pplx-", "hf_", "nvapi-", "ghp_"];
    if body.len() >= 8 && PREFIXES.iter().any(|prefix| body.starts_with(prefix)) {
        return true;
    }
    let digits = body.chars().filter(char::is_ascii_digit).count();
    let letters = body.chars().filter(char::is_ascii_alphabetic).count();
    body.len() >= 28 && digits >= 4 && letters >= 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_queries_controls_and_markup_do_not_come_through_p3() {
        let shown = |raw: &str| endpoint_text(raw, Some("planted-key")).unwrap_or_default();
        assert_eq!(shown("bad key planted-key, see\r\n docs"), "bad key [key], see docs");
        assert_eq!(
            shown("Incorrect API key provided: sk-proj-abc123***xyz."),
            "Incorrect API key provided: [key]."
        );
        assert_eq!(shown("GET https://h/v1?key=abc failed"), "GET https://h/v1 failed");
        assert_eq!(shown("token 0123456789abcdef0123456789abcdef!"), "token [key]!");
        assert_eq!(shown("\u{1b}[2Jx"), "[2Jx");
        assert_eq!(shown("<!doctype html><HEAD><Title>502 Bad Gateway</Title><body>x"), "502 Bad Gateway");
        assert_eq!(shown("<html>no title"), "");
        assert_eq!(shown(&"é".repeat(1000)).chars().count(), 300);
    }

    #[test]
    fn codes_are_kept_only_when_plain() {
        assert_eq!(identifier("insufficient_quota").as_deref(), Some("insufficient_quota"));
        assert_eq!(identifier("a b"), None);
        assert_eq!(identifier("sk-0123456789"), None);
        assert_eq!(identifier(""), None);
    }

    proptest! {
        #[test]
        fn a_planted_key_never_survives(before in ".{0,40}", after in ".{0,40}") {
            let key = "k3y-Planted";
            let text = endpoint_text(&format!("{before}{key}{after}"), Some(key)).unwrap_or_default();
            prop_assert!(!text.contains(key));
            prop_assert!(text.chars().count() <= 300 && !text.contains('\n'));
        }
    }
}
