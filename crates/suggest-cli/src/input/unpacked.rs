//! Sessions that were compressed with zstd after they were written. dsh's own compressed logs have their own reader.

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// How a compressed file begins.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The largest window of a frame, which is about what decoding costs in memory.
const MAX_WINDOW: u64 = 32 * 1024 * 1024;

type Input = BufReader<Box<dyn Read>>;

/// Decompresses frame after frame. A last frame that is cut short ends the data, unless nothing came before.
pub(super) struct Unpacked {
    input: Option<Input>,
    frame: Option<StreamingDecoder<Input, FrameDecoder>>,
    read_any: bool,
}

impl Unpacked {
    pub(super) fn new(input: Box<dyn Read>) -> Self {
        Self { input: Some(BufReader::new(input)), frame: None, read_any: false }
    }

    /// What a damaged or cut place means: the end, where something came before it.
    fn broken(&mut self) -> io::Result<usize> {
        (self.input, self.frame) = (None, None);
        if self.read_any {
            return Ok(0);
        }
        Err(io::Error::new(
            ErrorKind::InvalidData,
            "it is compressed with zstd, and cut off or damaged before its first line",
        ))
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                match frame.read(buffer) {
                    Ok(0) => self.input = self.frame.take().map(StreamingDecoder::into_inner),
                    Ok(read) => {
                        self.read_any = true;
                        return Ok(read);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return self.broken(),
                }
                continue;
            }
            let Some(mut input) = self.input.take() else { return Ok(0) };
            if input.fill_buf()?.is_empty() {
                return Ok(0);
            }
            match StreamingDecoder::new_with_max_window_size(input, MAX_WINDOW) {
                Ok(frame) => self.frame = Some(frame),
                Err(_) => return self.broken(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Cursor;

    fn unpack(bytes: Vec<u8>) -> io::Result<String> {
        let mut text = String::new();
        Unpacked::new(Box::new(Cursor::new(bytes))).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn frames_follow_each_other_and_a_cut_one_ends_the_data() {
        let pack = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let two = [pack("one\n"), pack("two\n")].concat();
        assert_eq!(unpack(two.clone()).unwrap(), "one\ntwo\n");
        let cut = two.get(..two.len() - 3).unwrap().to_vec();
        assert_eq!(unpack(cut).unwrap(), "one\n");
        let nothing = two.get(..6).unwrap().to_vec();
        assert!(unpack(nothing).unwrap_err().to_string().contains("cut off or damaged"));
        assert!(unpack(b"plain".to_vec()).is_err());
    }
}
