//! A log in a file.

use super::error::LogError;
use super::frames::MAGIC;
use super::header::Header;
use super::options::ReadOptions;
use super::reader::LogReader;
use super::summary::Summary;
use super::tail::{read_header, read_tail};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use suggest_core::Event;

/// A plain file larger than this is read from its tail.
const SMALL: u64 = 1024 * 1024;

/// A session log in a file. Large plain files are read from their tail, everything else whole.
#[derive(Debug)]
pub struct LogFile(Kind);

#[derive(Debug)]
enum Kind {
    /// A plain file that is large.
    Tail(File, Header),
    /// A small or compressed file, or something that is no file at all, such as a pipe.
    Whole(LogReader<File>),
}

impl LogFile {
    /// Opens a log and reads its header.
    ///
    /// # Errors
    ///
    /// As [`LogReader::new`]; [`LogError::Io`] also if the file cannot be opened. The errors do not name the path.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let mut file = File::open(path)?;
        let facts = file.metadata()?;
        if facts.is_file() && facts.len() > SMALL {
            let mut first = Vec::new();
            file.by_ref().take(4).read_to_end(&mut first)?;
            file.rewind()?;
            if first != MAGIC {
                let (header, _) = read_header(&mut file)?;
                return Ok(Self(Kind::Tail(file, header)));
            }
        }
        Ok(Self(Kind::Whole(LogReader::new(file)?)))
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        match &self.0 {
            Kind::Tail(_, header) => header,
            Kind::Whole(reader) => reader.header(),
        }
    }

    /// Folds the events, in order, into the sink.
    ///
    /// # Errors
    ///
    /// As [`LogReader::read`].
    pub fn read(self, options: &ReadOptions, sink: impl FnMut(Event)) -> Result<Summary, LogError> {
        match self.0 {
            Kind::Tail(mut file, _) => read_tail(&mut file, options, sink),
            Kind::Whole(reader) => reader.read(options, sink),
        }
    }
}
