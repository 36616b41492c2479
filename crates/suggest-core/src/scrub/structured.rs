//! Secrets known by their structure: JSON Web Tokens, bot tokens, Bearer credentials, URLs with a password.

use super::families::Family;
use super::names::Name;
use super::scan::{Found, Scan, Stretch};
use super::shape::{
    Alphabet, at, before, blank, contains, has_digit, has_letter, is_placeholder, looked,
    random_for_strong_name, random_for_weak_name, starts_with, starts_with_folded, word_starts,
};

/// `eyJ….eyJ….…`, also cut after the second part, also with the five parts of an encrypted token.
pub(super) fn json_web_token(scan: &mut Scan<'_>, start: usize) -> Option<Found> {
    if !starts_with(scan.bytes, start, b"eyJ") || !word_starts(scan.bytes, start) {
        return None;
    }
    let (header, _) = scan.wrapped_end(Alphabet::Url, start, 0);
    if header - start < 10 || at(scan.bytes, header) != b'.' {
        return None;
    }
    let (mut end, _) = scan.wrapped_end(Alphabet::Url, header + 1, 0);
    if end - header < 9 {
        return None;
    }
    for _ in 0..3 {
        if at(scan.bytes, end) != b'.' || !Alphabet::Url.holds(at(scan.bytes, end + 1)) {
            break;
        }
        (end, _) = scan.wrapped_end(Alphabet::Url, end + 1, 0);
    }
    Some(Found { start, end, family: Family::Jwt })
}

/// A Telegram bot token; `colon` is the offset of its colon.
pub(super) fn telegram_token(scan: &mut Scan<'_>, colon: usize) -> Option<Found> {
    let digits = (1..=11).take_while(|back| before(scan.bytes, colon, *back).is_ascii_digit()).count();
    if !(8..=10).contains(&digits) {
        return None;
    }
    let end = scan.run_end(Alphabet::Url, colon + 1);
    let body = scan.slice(colon + 1, end);
    // The address of the bot interface glues "bot" to the front.
    let start = colon - digits;
    (body.len() == 35 && has_letter(body) && !blank(body)).then_some(Found {
        start,
        end,
        family: Family::Telegram,
    })
}

/// A Discord bot token; `dot` is the offset of its first dot.
pub(super) fn discord_token(scan: &mut Scan<'_>, dot: usize) -> Option<Found> {
    if at(scan.bytes, dot + 7) != b'.' {
        return None;
    }
    let middle = scan.slice(dot + 1, dot + 7);
    let front = (1..=30).take_while(|back| Alphabet::Url.holds(before(scan.bytes, dot, *back))).count();
    let start = dot - front;
    let opens = matches!(at(scan.bytes, start), b'M' | b'N' | b'O');
    if !(23..=28).contains(&front) || !opens || !middle.iter().all(|byte| Alphabet::Url.holds(*byte)) {
        return None;
    }
    let end = scan.run_end(Alphabet::Url, dot + 8);
    (end - dot - 8 >= 27).then_some(Found { start, end, family: Family::Discord })
}

/// The credential behind the word Bearer.
pub(super) fn bearer(scan: &mut Scan<'_>, start: usize) -> Option<Found> {
    if !starts_with_folded(scan.bytes, start, b"bearer ") || !word_starts(scan.bytes, start) {
        return None;
    }
    let from = start + b"bearer ".len();
    let end = credential_end(scan, from);
    let value = scan.slice(from, end);
    let telling = value.len() >= 16 && !wordlike(value) || random_for_strong_name(value);
    if is_placeholder(value) || !telling || typed(scan, from, end) {
        return None;
    }
    Some(Found { start: from, end, family: Family::Authorization })
}

fn wordlike(value: &[u8]) -> bool {
    !has_digit(value)
        && value.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'.'))
}

/// End of one credential: white space, quotes and list marks end it.
pub(super) fn credential_end(scan: &mut Scan<'_>, from: usize) -> usize {
    let end = scan.stretch_end(Stretch::Credential, from);
    boundary(scan, end.min(from + LONGEST_TOKEN))
}

/// Whether a rule of its own covers the whole value: then its mark is the better one.
pub(super) fn typed(scan: &mut Scan<'_>, start: usize, end: usize) -> bool {
    let found = scan.key_at(start).or_else(|| json_web_token(scan, start));
    found.is_some_and(|found| found.start == start && found.end >= end)
}

/// Longest token that is looked at in one piece, in bytes.
pub(super) const LONGEST_TOKEN: usize = 4096;

/// `end`, moved on to the next border between characters.
pub(super) fn boundary(scan: &Scan<'_>, end: usize) -> usize {
    let mut end = end.min(scan.bytes.len());
    while !scan.text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// What an address says: where it ends for the path rules, and its password.
pub(super) struct Address {
    /// Where the part ends in which slashes belong to the address; 0 when they do not.
    pub(super) until: usize,
    pub(super) password: Option<Found>,
}

/// Longest user part that is looked at, in bytes.
const USER_PART: usize = 512;
/// Schemes whose slashes are no paths of this machine.
const WEB: &[&str] = &[
    "http", "https", "ws", "wss", "ftp", "ftps", "git", "s3", "gs", "grpc", "tcp", "udp", "docker", "oci",
    "data", "chrome", "about",
];
/// Schemes of services that are reached by a connection string.
const CONNECTIONS: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "nats",
    "kafka",
    "oracle",
    "db2",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "imap",
    "imaps",
    "snowflake",
    "couchdb",
    "neo4j",
    "bolt",
];

/// The address whose `://` starts at `colon`.
pub(super) fn address(scan: &mut Scan<'_>, colon: usize) -> Option<Address> {
    let bytes = scan.bytes;
    if !starts_with(bytes, colon, b"://") {
        return None;
    }
    let letters = (1..=24)
        .take_while(|back| {
            let byte = before(bytes, colon, *back);
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
        })
        .count();
    let scheme = scan.slice(colon - letters, colon).to_ascii_lowercase();
    let stem = scheme.split(|byte| matches!(byte, b'+' | b'.')).next().unwrap_or_default();
    let named = |list: &[&str]| list.iter().any(|name| name.as_bytes() == stem);
    let from = colon + 3;
    let until =
        if named(WEB) { scan.stretch_end(Stretch::Address, from).min(from + LONGEST_TOKEN) } else { 0 };
    let family = if named(CONNECTIONS) { Family::ConnectionPassword } else { Family::UrlPassword };
    Some(Address { until, password: user_part(scan, from, family) })
}

/// The password in an address whose user part starts at `from`.
///
/// It may hold `@` and slashes, unescaped. The sign before the host is then told by what stands behind it: in the
/// address of a service the last one counts, since the path there is a name; in a web address the first one that a
/// host follows (with a dot, a port, or the end behind it), since `@` is common in the paths of pages.
fn user_part(scan: &mut Scan<'_>, from: usize, family: Family) -> Option<Found> {
    let bytes = scan.bytes;
    let service = family == Family::ConnectionPassword;
    let rest = bytes.get(from..).unwrap_or_default();
    let mut colon = None;
    let mut sign = None;
    let mut slash = false;
    for (step, byte) in rest.iter().take(USER_PART).enumerate() {
        looked(1);
        let place = from + step;
        match byte {
            b':' if colon.is_none() => colon = Some(place),
            b'@' if slash && sign.is_some() && at(bytes, place - 1) == b'/' => {}
            b'@' => sign = Some(place),
            b'?' | b'#' if sign.is_some() => break,
            b'/' | b'?' | b'#' => {
                let port =
                    colon.is_none_or(|colon| scan.slice(colon + 1, place).iter().all(u8::is_ascii_digit));
                match sign {
                    Some(sign) if colon.is_none() || !service && host(scan.slice(sign + 1, place)) => break,
                    Some(_) => {}
                    // A port, or no colon at all: this is the path of a page.
                    None if port => return None,
                    None => {}
                }
                slash = true;
            }
            byte if byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'`' | b'<' | b'>') && sign.is_none() =>
            {
                break;
            }
            byte if Stretch::Address.ends_at(*byte) && sign.is_some() => break,
            _ => {}
        }
    }
    let sign = sign?;
    if contains(scan.slice(from, sign), b"[secret:") {
        return None;
    }
    if let Some(colon) = colon.filter(|colon| *colon < sign) {
        let value = scan.slice(colon + 1, sign);
        let stand_in = value.is_empty()
            || blank(value)
            || matches!(at(value, 0), b'$' | b'<' | b'{' | b'%' | b'*') && !value.starts_with(b"%2");
        return (!stand_in).then_some(Found { start: colon + 1, end: sign, family });
    }
    let value = scan.slice(from, sign);
    let random = random_for_weak_name(value) || value.len() >= 24 && random_for_strong_name(value);
    (random && !typed(scan, from, sign)).then_some(Found {
        start: from,
        end: sign,
        family: Family::UrlPassword,
    })
}

/// Whether this can only be a host: with a dot, or a port, or the machine itself.
fn host(part: &[u8]) -> bool {
    part == b"localhost"
        || part.contains(&b':')
            && part
                .rsplit(|byte| *byte == b':')
                .next()
                .is_some_and(|port| !port.is_empty() && port.iter().all(u8::is_ascii_digit))
        || part.contains(&b'.')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// Whether a value with the scheme of an Authorization header starts at `from`; its credential.
pub(super) fn authorization(scan: &mut Scan<'_>, from: usize) -> Option<Found> {
    let word = scan
        .bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take(24)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
        .count();
    let scheme = scan.slice(from, from + word).to_ascii_lowercase();
    let spaced = at(scan.bytes, from + word) == b' ';
    let single =
        [&b"bearer"[..], b"basic", b"token", b"apikey", b"negotiate", b"ntlm", b"dpop", b"key", b"bot"];
    if spaced && single.contains(&scheme.as_slice()) {
        let start = from + word + 1;
        let end = credential_end(scan, start);
        let value = scan.slice(start, end);
        let telling = value.len() >= 5 && (!wordlike(value) || value.len() >= 20);
        return (telling && !is_placeholder(value) && !typed(scan, start, end)).then_some(Found {
            start,
            end,
            family: Family::Authorization,
        });
    }
    if spaced
        && [&b"digest"[..], b"aws4-hmac-sha256", b"oauth", b"hawk", b"signature", b"sharedkey"]
            .contains(&scheme.as_slice())
    {
        let start = from + word + 1;
        let end = line_end(scan, start);
        return (end - start >= 8 && !scan.slice(start, end).contains(&b'[')).then_some(Found {
            start,
            end,
            family: Family::Authorization,
        });
    }
    let end = credential_end(scan, from);
    let value = scan.slice(from, end);
    let telling = random_for_strong_name(value) && !is_placeholder(value) && !typed(scan, from, end);
    telling.then_some(Found { start: from, end, family: Family::Authorization })
}

/// End of a header's value: the line's end.
pub(super) fn line_end(scan: &mut Scan<'_>, from: usize) -> usize {
    let end = scan.stretch_end(Stretch::Line, from);
    boundary(scan, end.min(from + LONGEST_TOKEN))
}

/// The family under which a value of such a name is marked.
pub(super) fn family_of(name: Name) -> Family {
    match name {
        Name::Password => Family::Password,
        Name::Token | Name::Weak => Family::Assigned,
        Name::Authorization => Family::Authorization,
        Name::Cookie => Family::Cookie,
        Name::AwsSecret => Family::AwsSecret,
        Name::Azure => Family::Azure,
    }
}
