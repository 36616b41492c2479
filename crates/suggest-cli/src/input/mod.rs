//! Session files: which format they have, and folding them into a sink, whatever their size.

mod args;
mod detect;
mod places;
mod report;
mod source;
mod unpacked;

pub(crate) use args::{InputArgs, is_standard_input};
pub(crate) use detect::Format;
pub(crate) use places::{usual as usual_places, with_id as session_with_id};
pub(crate) use report::LogReport;
pub(crate) use source::Source;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most bytes that are read of a document which must be held as a whole.
const LONGEST_DOCUMENT: u64 = 64 * 1024 * 1024;

/// Reads a whole document; `-` is standard input.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = if is_standard_input(path) {
        io::stdin().lock().take(LONGEST_DOCUMENT.saturating_add(1)).read_to_string(&mut text)?
    } else {
        File::open(path)?.take(LONGEST_DOCUMENT.saturating_add(1)).read_to_string(&mut text)?
    };
    if u64::try_from(read).unwrap_or(u64::MAX) > LONGEST_DOCUMENT {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(text)
}
