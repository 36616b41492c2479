//! Compressed logs: the host appends one Zstandard frame after the other.

use super::error::LogError;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, Read};

/// The first bytes of a Zstandard frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The largest window of a frame, which is about what decoding costs in memory. The host's own frames need far less.
const MAX_WINDOW: u64 = 32 * 1024 * 1024;

/// Decompresses frame after frame. A last frame that is cut short, as after a crash, ends the data and is remembered.
pub(crate) struct Frames<R> {
    source: Source<R>,
    decoder: FrameDecoder,
    in_frame: bool,
    torn: bool,
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(input: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            source: Source { input, at_end: false, bytes: 0, ahead: None },
            decoder,
            in_frame: false,
            torn: false,
        }
    }

    /// Whether the last frame was cut short.
    pub(crate) fn is_torn(&self) -> bool {
        self.torn
    }

    /// Begins the next frame. False at the end of the data.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.is_at_end()? {
                return Ok(false);
            }
            match self.decoder.init(&mut self.source) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.source).take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return self.fail(&error).map(|()| false),
            }
        }
    }

    /// A frame that the end of the data cut short is torn; everything else is damage.
    fn fail(&mut self, error: &FrameDecoderError) -> io::Result<()> {
        if let Some(kind) = self.source.input_error() {
            return Err(io::Error::from(kind));
        }
        if self.source.at_end {
            self.torn = true;
            self.in_frame = false;
            return Ok(());
        }
        let error = match error {
            FrameDecoderError::WindowSizeTooBig { .. } => LogError::WindowTooLarge { limit: MAX_WINDOW },
            _ => self.damaged(),
        };
        Err(io::Error::other(error))
    }

    fn damaged(&self) -> LogError {
        LogError::Damaged { bytes: self.source.bytes }
    }

    fn check_sum(&self) -> io::Result<()> {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(written), Some(found)) if written != found => Err(io::Error::other(self.damaged())),
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.torn || buffer.is_empty() || !(self.in_frame || self.begin()?) {
                return Ok(0);
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if self.decoder.is_finished() {
                self.check_sum()?;
                self.in_frame = false;
                continue;
            }
            let strategy = BlockDecodingStrategy::UptoBytes(64 * 1024);
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, strategy) {
                self.fail(&error)?;
            }
        }
    }
}

/// The compressed bytes. Remembers whether they ended, which the decoder's errors do not tell.
struct Source<R> {
    input: R,
    at_end: bool,
    bytes: u64,
    /// A byte that was read to see whether there is more.
    ahead: Option<Result<u8, io::ErrorKind>>,
}

impl<R: Read> Source<R> {
    fn is_at_end(&mut self) -> io::Result<bool> {
        if self.ahead.is_none() {
            let mut byte = [0];
            if self.read_input(&mut byte)? == 0 {
                return Ok(true);
            }
            self.ahead = byte.first().copied().map(Ok);
        }
        Ok(false)
    }

    /// The error of the input itself, which the decoder wrapped in one of its own.
    fn input_error(&self) -> Option<io::ErrorKind> {
        match self.ahead {
            Some(Err(kind)) => Some(kind),
            _ => None,
        }
    }

    fn read_input(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.input.read(buffer) {
                Ok(0) if !buffer.is_empty() => {
                    self.at_end = true;
                    return Ok(0);
                }
                Ok(read) => {
                    self.bytes = self.bytes.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ahead = Some(Err(error.kind()));
                    return Err(error);
                }
            }
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.ahead.take(), buffer.first_mut()) {
            (Some(Ok(byte)), Some(first)) => {
                *first = byte;
                Ok(1)
            }
            (ahead, None) => {
                self.ahead = ahead;
                Ok(0)
            }
            _ => self.read_input(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn frame(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> (io::Result<String>, bool) {
        let mut frames = Frames::new(bytes);
        let mut text = String::new();
        let result = frames.read_to_string(&mut text);
        (result.map(|_| text), frames.is_torn())
    }

    #[test]
    fn frames_that_follow_each_other_are_one_text() {
        let long = "line\n".repeat(100_000);
        let mut bytes = frame("one\n");
        bytes.extend([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
        bytes.extend(frame(&long));
        bytes.extend(frame("three\n"));
        let (text, torn) = read(&bytes);
        assert_eq!(text.unwrap(), format!("one\n{long}three\n"));
        assert!(!torn);
    }

    #[test]
    fn a_last_frame_that_is_cut_short_is_torn_and_loses_only_itself() {
        let whole = frame("one\n");
        let last = frame("two, with a few more words in it\n");
        for cut in 1..last.len() {
            let mut bytes = whole.clone();
            bytes.extend(last.iter().take(cut));
            let (text, torn) = read(&bytes);
            let text = text.unwrap();
            // A frame that lacks only its checksum has already given its text.
            assert!(text == "one\n" || text.starts_with("one\ntwo"), "cut at {cut}: {text}");
            assert!(torn, "cut at {cut}");
        }
    }

    #[test]
    fn damage_before_the_end_is_an_error() {
        let mut bytes = frame("one\n");
        bytes.extend(b"this is no frame at all");
        let (text, _) = read(&bytes);
        let error = text.unwrap_err();
        assert!(
            matches!(error.get_ref().and_then(|e| e.downcast_ref()), Some(LogError::Damaged { .. })),
            "{error:?}"
        );
    }
}
