//! What must go, what must stay, and what holds for every text.

mod goes;
mod properties;
mod stays;

use super::*;

/// A scrubber with the directories that the tables use.
fn scrubber() -> Scrubber {
    Scrubber::new(Some("/workspace"), Some("/home/alice"))
}

fn scrub(text: &str) -> String {
    scrubber().scrub(text)
}

#[test]
fn p2_the_same_secret_keeps_its_mark_in_a_session_and_another_gets_the_next_number() {
    let mut scrubber = scrubber();
    let (one, two) = ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_9876543210abcdefghijABCDEFGHIJ012345");
    assert_eq!(scrubber.scrub(&format!("{one} {two}")), "[secret:github-token#1] [secret:github-token#2]");
    assert_eq!(scrubber.scrub(&format!("again {two}")), "again [secret:github-token#2]");
    assert_eq!(scrubber.scrub("/etc/shadow /etc/passwd"), "[path#1] [path#2]");
    assert_eq!(scrubber.scrub("`/etc/passwd`"), "`[path#2]`");
}

#[test]
fn p2_a_full_table_still_replaces_and_memory_stays_bounded() {
    let mut scrubber = scrubber();
    let mut text = String::new();
    for number in 0..6_000 {
        text.push_str(&format!("ghp_{number:010}abcdefghijABCDEFGHIJabcdef\n"));
    }
    let scrubbed = scrubber.scrub(&text);
    assert!(!scrubbed.contains("ghp_"));
    assert!(
        scrubbed.contains("[secret:github-token#4096]\n") && scrubbed.ends_with("[secret:github-token#0]\n")
    );
    assert!(scrubber.memory_bytes() < 400_000, "{}", scrubber.memory_bytes());
}

#[test]
fn p2_a_file_hint_leaves_only_as_a_path_inside_the_workspace() {
    let mut scrubber = scrubber();
    for (path, expected) in [
        ("/workspace/src/a.rs", Some("src/a.rs")),
        ("/workspace", Some(".")),
        ("/workspace/", Some(".")),
        ("src/./a.rs", Some("src/a.rs")),
        ("./src/b/../a.rs", Some("src/a.rs")),
        ("file:///workspace/src/a.rs", Some("src/a.rs")),
        ("/home/alice/private/x.rs", None),
        ("/workspace2/a.rs", None),
        ("/workspace/../etc/passwd", None),
        ("../secret.txt", None),
        ("~/notes.md", None),
        ("C:\\Users\\alice\\x.rs", None),
        ("src/a.rs\nNEXT: x", None),
        ("", None),
    ] {
        assert_eq!(scrubber.scrub_path(path).as_deref(), expected, "{path}");
    }
    assert_eq!(Scrubber::new(None, None).scrub_path("/workspace/a.rs"), None);
    let mut windows = Scrubber::new(Some(r"C:\Users\Alice\proj"), None);
    assert_eq!(windows.scrub_path(r"c:\users\alice\proj\src\a.rs").as_deref(), Some("src/a.rs"));
    assert_eq!(windows.scrub_path(r"C:\Users\Alice\proj2\a.rs"), None);
}

#[test]
fn a_scrubber_shows_nothing_of_what_it_remembers() {
    let mut scrubber = scrubber();
    scrubber.scrub("PASSWORD=hunter22");
    assert_eq!(format!("{scrubber:?}"), "Scrubber { remembered: 1, .. }");
}

#[test]
fn every_family_is_named_and_described_once() {
    let mut names: Vec<&str> = families().iter().map(|family| family.name).collect();
    assert!(families().iter().all(|family| !family.description.is_empty()));
    assert_eq!(names.len(), usize::from(families::Family::Assigned as u8) + 1);
    assert_eq!(families::Family::Jwt.name(), "jwt");
    assert_eq!(families::Family::Assigned.name(), "assigned-secret");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), families().len());
}

/// Bytes that are looked at for each byte of the text.
fn looks_a_byte(text: &str) -> usize {
    let _ = shape::cost::take();
    let scrubbed = scrub(text);
    assert!(scrubbed.len() <= text.len() * 12 + 64);
    shape::cost::take() / text.len()
}

/// Counted, not timed: a search that starts anew at each repetition shows as a cost that grows with the text.
#[test]
fn hostile_text_costs_the_same_a_byte_whatever_its_length() {
    for unit in [
        "sk-",
        "eyJ.",
        "eyJeyJ",
        "token=",
        "PASSWORD=\"",
        "a://b:c",
        "/workspace/(",
        "-----BEGIN PRIVATE KEY-----\n",
        "--password ",
        "https://a:",
        "[secret:",
        "C:\\a",
        "ghp_",
        "\\\\ab\\c",
        "password='",
        "0123456789:",
        "M.",
        "<password>",
        "-----END PRIVATE KEY-----",
        "/home/a(",
        "secret_key: ",
        "~ab/",
        "AKIA",
        "Bearer ",
        "Authorization: Digest ",
        "Cookie: a=",
        "sk-ant-",
        "\"/home/a b/",
        "A",
        "(/x(",
        "SG.",
        "xoxe.",
        "ya29.",
        "authorization:",
        "Authorization:Digest;",
        "Cookie:a=",
        "token:'",
        "a://b@c/",
        "password:\n ",
        "|---|",
        "|---|\n",
        "| password |\n|---|\n",
        "| a ",
        " -pa",
        "mysql -p",
        "curl -u a:",
        "密码：",
        "＝",
        "es ",
        "password=a,",
        "x;pw=a&",
        "password ",
        "password `",
        "<a key='password' value=",
        "api key: ",
        "sk-ant-AbCdEfGhIjKlMnOpQrSt0\n",
    ] {
        let costs = [4_000, 16_000].map(|bytes| looks_a_byte(&unit.repeat(bytes / unit.len())));
        let [short, long] = costs;
        assert!(long <= short + short / 4 + 8 && long < 2_500, "{unit:?}: {short}, then {long}");
    }
}

#[test]
fn starts_of_tokens_before_one_long_end_cost_the_same_a_byte_whatever_its_length() {
    for (starts, end, last) in [
        ("ghs_", ".", ""),
        ("xoxe.", ".", ""),
        ("sk-ant-xxxxxx", "a", "\nabcdefg1 "),
        ("eyJ-", "A", ".a"),
        ("eyJabcdefgh.", "a", ""),
        ("password=", "a", ""),
        ("https://a:", "/", ""),
        ("| password |\n|---|\n", "|", ""),
        ("-----BEGIN PRIVATE KEY-----", "\\n", ""),
        ("mysql -p", "a", ""),
    ] {
        let [short, long] = [4_000, 16_000].map(|bytes| {
            let text = [starts.repeat(bytes / starts.len()), end.repeat(bytes / end.len()), last.to_owned()];
            looks_a_byte(&text.concat())
        });
        assert!(long <= short + short / 4 + 8 && long < 2_500, "{starts:?}: {short}, then {long}");
    }
}
