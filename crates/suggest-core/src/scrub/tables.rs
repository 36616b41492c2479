//! Markdown tables that have a column of secrets, or rows that name one.

use super::foreign;
use super::judge::{Style, code_like, folded, judge};
use super::names::{Name, classify};
use super::scan::{Found, Scan};
use super::shape::{at, before, has_digit, looked};

/// Longest header row that is read, in bytes.
const LONGEST_HEADER: usize = 512;
/// Longest cell that is judged, in bytes.
const LONGEST_CELL: usize = 256;
/// Most columns that are told apart.
const MOST_COLUMNS: usize = 32;

/// A table that is being read.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// What each column holds.
    columns: Vec<Option<Name>>,
    /// Whether the table tells of people or accounts, so that a plain word is a password too.
    accounts: bool,
    /// Start of the row that was counted last, how far, and the bars so far.
    row: (usize, usize, usize),
}

/// Header words beside which a column of passwords holds passwords.
const ACCOUNTS: &[&str] = &[
    "user",
    "username",
    "user name",
    "login",
    "email",
    "e-mail",
    "account",
    "host",
    "server",
    "用户",
    "用户名",
    "账号",
    "帳號",
    "ユーザー",
    "benutzer",
    "utilisateur",
    "usuario",
];

/// Reads the header when the line of dashes of a table starts at `dash`.
pub(super) fn opened(scan: &mut Scan<'_>, dash: usize) {
    let bytes = scan.bytes;
    // The first dash of its line: only a bar, blanks and a colon may stand before it.
    let lead = (1..=8).take_while(|back| matches!(before(bytes, dash, *back), b'|' | b' ' | b':')).count();
    let line = dash - lead;
    if before(bytes, line, 1) != b'\n' || at(bytes, dash + 1) != b'-' {
        return;
    }
    let rule = bytes.get(line..).unwrap_or_default();
    let rule = rule.get(..LONGEST_HEADER).unwrap_or(rule);
    looked(rule.len());
    let rule = rule.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if !rule.contains(&b'|') || !rule.iter().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\r')) {
        return;
    }
    let above = scan.slice((line - 1).saturating_sub(LONGEST_HEADER), line - 1);
    looked(above.len());
    let header = above.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let cells: Vec<&[u8]> = cells(header).take(MOST_COLUMNS).collect();
    let accounts = cells.iter().any(|cell| {
        let said = String::from_utf8_lossy(cell).to_lowercase();
        ACCOUNTS.contains(&said.as_str())
    });
    scan.table = Some(Table {
        columns: cells.iter().map(|cell| named(cell)).collect(),
        accounts,
        row: (line, line, 0),
    });
}

/// The cells of a row, without blanks and marks.
fn cells(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let row = row.trim_ascii();
    let row = row.strip_prefix(b"|").unwrap_or(row);
    let row = row.strip_suffix(b"|").unwrap_or(row);
    row.split(|byte| *byte == b'|').map(plain)
}

fn plain(cell: &[u8]) -> &[u8] {
    let mut cell = cell.trim_ascii();
    while let [first, rest @ ..] = cell
        && matches!(first, b'`' | b'*' | b'"' | b'\'' | b'_')
    {
        cell = rest;
    }
    while let [rest @ .., last] = cell
        && matches!(last, b'`' | b'*' | b'"' | b'\'' | b'_' | b':')
    {
        cell = rest;
    }
    cell.trim_ascii()
}

/// What a cell names, when it holds little but a name.
fn named(cell: &[u8]) -> Option<Name> {
    if cell.is_empty() || cell.len() > 40 {
        return None;
    }
    let name = match foreign::name_before(cell, cell.len()) {
        Some((_, name)) => Some(name),
        None => classify(cell),
    };
    name.filter(|name| matches!(name, Name::Password | Name::Token | Name::AwsSecret | Name::Azure))
}

/// A secret in the cell that starts behind the bar or the line break at `place`.
pub(super) fn cell(scan: &mut Scan<'_>, place: usize) -> Option<Found> {
    let bytes = scan.bytes;
    let table = scan.table.as_mut()?;
    let (row, until, bars) = table.row;
    if at(bytes, place) == b'\n' {
        // A row without a bar ends the table.
        let line = bytes.get(place + 1..).unwrap_or_default();
        let line = line.get(..LONGEST_HEADER).unwrap_or(line);
        let length = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
        looked(length);
        let line = line.get(..length).unwrap_or_default();
        if !line.contains(&b'|') {
            scan.table = None;
            return None;
        }
        table.row = (place + 1, place + 1, 0);
        if line.trim_ascii_start().first() == Some(&b'|') {
            return None;
        }
    } else {
        if place < row {
            return None;
        }
        let between = bytes.get(until..=place).unwrap_or_default();
        looked(between.len());
        let bars = bars + between.iter().filter(|byte| **byte == b'|').count();
        table.row = (row, place + 1, bars);
    }
    let (row, _, bars) = table.row;
    let blanks = (0..4).take_while(|step| at(bytes, row + step) == b' ').count();
    let column = if at(bytes, row + blanks) == b'|' { bars.checked_sub(1)? } else { bars };
    let accounts = table.accounts;
    let by_column = table.columns.get(column).copied().flatten();
    let rest = bytes.get(place + 1..).unwrap_or_default();
    let rest = rest.get(..LONGEST_CELL).unwrap_or(rest);
    looked(rest.len());
    let length = rest.iter().position(|byte| matches!(byte, b'|' | b'\n')).unwrap_or(rest.len());
    let raw = rest.get(..length)?;
    let value = plain(raw);
    let (name, accounts) = match by_column {
        Some(name) => (name, accounts),
        // A row such as `| password | hunter2 |`: the name is in the first column.
        None if column == 1 => {
            let row = bytes.get(row..place).unwrap_or_default();
            (row.len() < 64).then(|| cells(row).next().and_then(named)).flatten().map(|name| (name, false))?
        }
        None => return None,
    };
    if value.is_empty() {
        return None;
    }
    let lead = raw.windows(value.len()).position(|window| window == value)?;
    let start = place + 1 + lead;
    literal_in_table(scan, name, start, start + value.len(), accounts)
}

/// A secret in a cell of a table under, or beside, a name that tells so. In a table of accounts a plain word is
/// a password too.
fn literal_in_table(
    scan: &mut Scan<'_>,
    kind: Name,
    start: usize,
    end: usize,
    accounts: bool,
) -> Option<Found> {
    let value = scan.slice(start, end);
    if code_like(scan, value, end) {
        return None;
    }
    let telling = has_digit(value) || accounts && value.len() >= 6 && !TABLE_WORDS.contains(&&*folded(value));
    let single = !value.contains(&b' ');
    (telling && single).then(|| judge(scan, kind, start, end, Style::Element)).flatten()
}

/// Plain words that such a column says of passwords.
const TABLE_WORDS: &[&str] = &[
    "required",
    "optional",
    "supported",
    "unsupported",
    "enabled",
    "disabled",
    "bcrypt",
    "scrypt",
    "hashed",
    "encrypted",
    "plain",
    "plaintext",
    "expired",
    "locked",
    "stored",
    "unknown",
    "default",
    "string",
    "accepted",
    "rejected",
    "missing",
    "hidden",
    "external",
    "internal",
    "random",
    "generated",
    "rotated",
    "allowed",
    "forbidden",
    "denied",
    "keychain",
    "keyring",
    "vault",
    "deprecated",
    "possible",
    "available",
    "password",
    "passwords",
];
