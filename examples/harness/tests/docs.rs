//! The embedding guide shows this code and no other: each of its Rust blocks names the file and the part that it is, and
//! is compared with it. `UPDATE_DOCS=1` writes the blocks anew.

#![expect(clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};

const GUIDE: &str = "docs/embedding.md";
/// `<!-- code: FILE part -->` stands before each block; without a part it is the whole file.
const MARK: &str = "<!-- code: ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands in a file between `// docs: PART` and the next `// docs: end`, without the space before all its lines.
fn part(file: &str, name: &str) -> String {
    let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (begin, end) = (format!("// docs: {name}"), "// docs: end");
    let after = text.lines().skip_while(|line| line.trim() != begin).skip(1);
    let lines: Vec<&str> = after.take_while(|line| line.trim() != end).collect();
    assert!(!lines.is_empty(), "{file} has no part `{name}`");
    let spaces = |line: &&str| line.len() - line.trim_start().len();
    let before = lines.iter().filter(|line| !line.trim().is_empty()).map(spaces).min().unwrap_or(0);
    lines.iter().map(|line| format!("{}\n", line.get(before..).unwrap_or(""))).collect()
}

/// The guide with the code as it is now.
fn renewed(guide: &str) -> String {
    let mut out = String::new();
    let mut lines = guide.lines();
    let mut named = None;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(place) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) {
            named = Some(place.split_once(' ').expect("a file and a part"));
        } else if line.starts_with("```rust") {
            let (file, name) =
                named.take().unwrap_or_else(|| panic!("a block of Rust without its place:\n{out}"));
            out.push_str(&part(file, name));
            lines.by_ref().take_while(|line| *line != "```").for_each(drop);
            out.push_str("```\n");
        }
    }
    out
}

#[test]
fn the_guide_shows_code_that_is_compiled() {
    let path = root().join(GUIDE);
    let guide = fs::read_to_string(&path).expect("the guide");
    let renewed = renewed(&guide);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, renewed).expect("the guide can be written");
    } else if renewed != guide {
        let line =
            guide.lines().zip(renewed.lines()).position(|(old, new)| old != new).map_or(0, |at| at + 1);
        panic!(
            "{GUIDE}:{line} shows old code; UPDATE_DOCS=1 cargo nextest run -p suggest-example-harness guide"
        );
    }
    assert!(guide.matches(MARK).count() >= 10, "the guide walks through the harness");
}
