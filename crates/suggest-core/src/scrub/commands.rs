//! Passwords that well-known commands take behind a short flag: `curl -u name:password`, `mysql -pSECRET`,
//! `sshpass -p SECRET`. The flag alone says nothing; the command before it on the same line does.

use super::families::Family;
use super::scan::{Found, Scan, Stretch};
use super::shape::{at, before, blank, has_digit, looked, starts_with};

/// How a flag takes its password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// `-u name:password`, glued or not.
    User,
    /// `-pSECRET`; a blank behind the flag means that the command will ask.
    Glued,
    /// `-p SECRET`, glued or not.
    Next,
}

/// A flag of a command, which may need a second word (`docker login`).
struct Rule {
    commands: &'static [&'static str],
    second: &'static str,
    flag: u8,
    taken: Taken,
}

const MYSQL: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlcheck",
    "mysqlshow",
    "mysqlsh",
    "mysqlbinlog",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
];

const RULES: &[Rule] = &[
    Rule { commands: &["curl"], second: "", flag: b'u', taken: Taken::User },
    Rule { commands: &["curl"], second: "", flag: b'U', taken: Taken::User },
    Rule { commands: &["http", "https", "xh"], second: "", flag: b'a', taken: Taken::User },
    Rule { commands: MYSQL, second: "", flag: b'p', taken: Taken::Glued },
    Rule { commands: &["7z", "7za", "rar", "unrar"], second: "", flag: b'p', taken: Taken::Glued },
    Rule { commands: &["sshpass"], second: "", flag: b'p', taken: Taken::Next },
    Rule { commands: &["redis-cli"], second: "", flag: b'a', taken: Taken::Next },
    Rule {
        commands: &["mongo", "mongosh", "mongodump", "mongorestore"],
        second: "",
        flag: b'p',
        taken: Taken::Next,
    },
    Rule {
        commands: &["docker", "podman", "helm", "az", "oc", "nerdctl"],
        second: "login",
        flag: b'p',
        taken: Taken::Next,
    },
    Rule { commands: &["sqlcmd", "zip", "unzip"], second: "", flag: b'P', taken: Taken::Next },
    Rule { commands: &["ldapsearch", "ldapmodify", "ldapadd"], second: "", flag: b'w', taken: Taken::Next },
];

/// How far back on its line a command is looked for, in bytes.
const REACH: usize = 160;
/// Whole values that stand for a password.
const STAND_INS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "yourpassword",
    "your_password",
    "changeme",
    "xxx",
    "prompt",
    "flag",
    "option",
    "and",
    "or",
    "to",
    "for",
    "the",
    "is",
    "with",
    "in",
    "on",
    "as",
    "a",
    "it",
    "takes",
    "reads",
    "asks",
    "works",
    "needs",
    "means",
];

/// The password behind the short flag whose dash is at `dash`.
pub(super) fn flagged(scan: &mut Scan<'_>, dash: usize) -> Option<Found> {
    let bytes = scan.bytes;
    let flag = at(bytes, dash + 1);
    let opens = matches!(before(bytes, dash, 1), b' ' | b'\t');
    if !opens || !RULES.iter().any(|rule| rule.flag == flag) {
        return None;
    }
    let line = scan.slice(dash.saturating_sub(REACH), dash);
    looked(line.len());
    // Only the command since the last separator of commands counts.
    let line = line.rsplit(|byte| matches!(byte, b'\n' | b'|' | b';' | b'&')).next().unwrap_or_default();
    let rule = called(line, flag)?;
    let mut from = dash + 2;
    let spaces = (0..4).take_while(|step| at(bytes, from + step) == b' ').count();
    let spaced = spaces > 0;
    if spaced && rule.taken == Taken::Glued {
        return None;
    }
    from += spaces;
    let quote = Some(at(bytes, from)).filter(|byte| matches!(byte, b'"' | b'\''));
    let (from, end) = match quote {
        Some(quote) => {
            let rest = scan.slice(from + 1, (from + 257).min(bytes.len()));
            looked(rest.len());
            let length = rest.iter().position(|byte| *byte == quote || *byte == b'\n')?;
            (from + 1, from + 1 + length)
        }
        None => {
            let mut end = scan.stretch_end(Stretch::Wide, from);
            while end > from && matches!(before(bytes, end, 1), b')' | b',' | b'.' | b'\'' | b';' | b':') {
                end -= 1;
            }
            (from, end)
        }
    };
    let start = match rule.taken {
        Taken::User => {
            from + scan.slice(from, end.min(from + 128)).iter().position(|byte| *byte == b':')? + 1
        }
        Taken::Glued | Taken::Next => from,
    };
    let value = scan.slice(start, end);
    let folded = value.get(..64).unwrap_or(value).to_ascii_lowercase();
    let stand_in = blank(value)
        || matches!(at(value, 0), b'$' | b'<' | b'{' | b'%' | b'[' | b'-' | b'(' | 0)
        || at(scan.bytes, from) == b'['
        || starts_with(&folded, 0, b"your")
        || STAND_INS.iter().any(|word| word.as_bytes() == folded);
    // Words of a sentence about the command, not of a call of it.
    let plain = value.iter().all(u8::is_ascii_lowercase);
    let sentence = rule.taken == Taken::Next
        && spaced
        && quote.is_none()
        && plain
        && !has_digit(value)
        && !calls(bytes, end);
    // `-p8080:80` publishes a port.
    let ports = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b':') && value.contains(&b':');
    if stand_in || sentence || ports {
        return None;
    }
    // A mark must not be many times as long as what it replaces: the name goes with a very short password.
    let start = if value.len() < 3 { from } else { start };
    (end >= start + 3 || rule.taken == Taken::User && end > start).then_some(Found {
        start,
        end,
        family: Family::Password,
    })
}

/// The rule of a flag whose command stands in the line by itself; a path may stand before it. The line is split once for
/// all rules: nothing but flags may come, and each of them looks back.
fn called(line: &[u8], flag: u8) -> Option<&'static Rule> {
    let (mut commands, mut seconds) = (0_u32, 0_u32);
    for part in line.split(u8::is_ascii_whitespace) {
        let part =
            part.rsplit(|byte| matches!(byte, b'/' | b'(' | b'`' | b'"' | b'\'')).next().unwrap_or_default();
        if matches!(part, [] | [b'-', ..]) {
            continue;
        }
        for (place, rule) in RULES.iter().enumerate().filter(|(_, rule)| rule.flag == flag) {
            commands |= u32::from(rule.commands.iter().any(|word| word.as_bytes() == part)) << place;
            seconds |= u32::from(rule.second.as_bytes() == part) << place;
        }
    }
    let mut rules = RULES.iter().enumerate().filter(|(_, rule)| rule.flag == flag);
    let fits = |place: usize, rule: &Rule| {
        commands >> place & 1 == 1 && (rule.second.is_empty() || seconds >> place & 1 == 1)
    };
    rules.find(|(place, rule)| fits(*place, rule)).map(|(_, rule)| rule)
}

/// Whether a command follows, as behind `sshpass -p SECRET`, or the line ends.
fn calls(bytes: &[u8], end: usize) -> bool {
    let rest = bytes.get(end..).unwrap_or_default();
    let rest = rest.get(..16).unwrap_or(rest).trim_ascii_start();
    [&b"ssh"[..], b"scp", b"sftp", b"rsync", b"sudo", b"-"].iter().any(|word| rest.starts_with(word))
}
