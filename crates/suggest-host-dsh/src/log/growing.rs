//! A compressed log that grows: the frames that are whole are decompressed, a last one that is not yet is kept.

use super::error::LogError;
use super::frames::{Frames, MAGIC};
use std::io::Read as _;

/// The most bytes of a frame, compressed or not. The host writes one frame for each flush of its log.
const LONGEST_FRAME: usize = 64 * 1024 * 1024;

/// How the three other bytes of a frame that is to be skipped read; the first is 0x50 to 0x5f.
const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Decompresses a log as it grows, from its beginning, in whatever pieces it comes.
#[derive(Debug, Default)]
pub struct GrowingFrames {
    pending: Vec<u8>,
    bytes: u64,
    is_damaged: bool,
}

impl GrowingFrames {
    /// Takes the bytes that were appended, and gives what they hold, frame by frame, as far as frames are whole. At most one
    /// frame, of at most 64 MiB, is held at a time.
    ///
    /// # Errors
    ///
    /// [`LogError::Damaged`] and [`LogError::WindowTooLarge`]: nothing behind it can be read, and every further call is an
    /// error, too.
    pub fn push(&mut self, appended: &[u8], sink: &mut dyn FnMut(&[u8])) -> Result<(), LogError> {
        if self.is_damaged {
            return Err(LogError::Damaged { bytes: self.bytes });
        }
        self.pending.extend_from_slice(appended);
        let mut used = 0;
        let mut text = Vec::new();
        let read = loop {
            let rest = self.pending.get(used..).unwrap_or_default();
            match frame_length(rest).map(|length| rest.get(..length?)) {
                Err(Damage) => break Err(LogError::Damaged { bytes: 0 }),
                Ok(Some(frame)) => {
                    text.clear();
                    if let Err(error) = decompress(frame, &mut text) {
                        break Err(error);
                    }
                    sink(&text);
                    used = used.saturating_add(frame.len());
                }
                Ok(None) if rest.len() > LONGEST_FRAME => break Err(LogError::Damaged { bytes: 0 }),
                Ok(None) => break Ok(()),
            }
        };
        self.pending.drain(..used);
        self.bytes = self.bytes.saturating_add(u64::try_from(used).unwrap_or(u64::MAX));
        read.map_err(|error| {
            self.is_damaged = true;
            self.pending = Vec::new();
            match error {
                LogError::Damaged { .. } => LogError::Damaged { bytes: self.bytes },
                other => other,
            }
        })
    }
}

/// Reads one whole frame into an empty text.
fn decompress(frame: &[u8], text: &mut Vec<u8>) -> Result<(), LogError> {
    let limit = u64::try_from(LONGEST_FRAME).unwrap_or(u64::MAX);
    let mut frames = Frames::new(frame);
    let read = (&mut frames).take(limit.saturating_add(1)).read_to_end(text)?;
    if read <= LONGEST_FRAME && !frames.is_torn() { Ok(()) } else { Err(LogError::Damaged { bytes: 0 }) }
}

/// What is no frame.
#[derive(Debug, PartialEq, Eq)]
struct Damage;

/// How long the frame is that these bytes begin with (RFC 8878, section 3.1). `None` if it is not whole.
fn frame_length(bytes: &[u8]) -> Result<Option<usize>, Damage> {
    let Some((mark, rest)) = bytes.split_at_checked(4) else { return Ok(None) };
    if mark.first().is_some_and(|first| first & 0xf0 == 0x50) && mark.get(1..) == Some(&SKIPPED) {
        let length = rest.first_chunk().map(|length| u32::from_le_bytes(*length));
        return Ok(length.and_then(|length| usize::try_from(length).ok()?.checked_add(8)));
    }
    if mark != MAGIC {
        return Err(Damage);
    }
    let Some(descriptor) = rest.first() else { return Ok(None) };
    let (content_size, single, check_sum, dictionary) =
        (descriptor >> 6, descriptor & 0x20 != 0, descriptor & 0x04 != 0, descriptor & 0x03);
    let content_size = match content_size {
        0 => usize::from(single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let dictionary = match dictionary {
        3 => 4,
        other => usize::from(other),
    };
    let mut at = 5_usize + usize::from(!single) + dictionary + content_size;
    loop {
        let Some(header) = bytes.get(at..).and_then(<[u8]>::first_chunk::<3>) else { return Ok(None) };
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let size = match (header >> 1) & 3 {
            1 => 1,
            3 => return Err(Damage),
            _ => usize::try_from(header >> 3).map_err(|_| Damage)?,
        };
        at = at.saturating_add(3).saturating_add(size);
        if header & 1 == 1 {
            return Ok(Some(at.saturating_add(if check_sum { 4 } else { 0 })));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn frame(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    proptest! {
        #[test]
        fn whatever_the_pieces_the_text_is_whole(
            texts in proptest::collection::vec("[a-z\\n]{0,400}", 0..6),
            cuts in proptest::collection::vec(1_usize..200, 1..30),
        ) {
            let mut log: Vec<u8> = texts.iter().flat_map(|text| frame(text)).collect();
            // A frame that is to be skipped, and one that is not whole yet.
            log.extend([0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
            let torn = frame("not yet, not yet, not yet");
            log.extend(&torn[..torn.len() - 1]);
            let (mut frames, mut text) = (GrowingFrames::default(), Vec::new());
            let mut rest = log.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                frames.push(piece, &mut |part| text.extend_from_slice(part)).unwrap();
                rest = after;
            }
            prop_assert_eq!(&String::from_utf8(text.clone()).unwrap(), &texts.concat());
            frames.push(&torn[torn.len() - 1..], &mut |part| text.extend_from_slice(part)).unwrap();
            prop_assert!(text.ends_with(b"not yet, not yet, not yet"));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), magic in any::<bool>()) {
            let mut log = if magic { MAGIC.to_vec() } else { Vec::new() };
            log.extend(bytes);
            let _ = GrowingFrames::default().push(&log, &mut |_| ());
        }
    }

    #[test]
    fn what_is_no_frame_is_told_with_its_place_and_what_came_before_is_kept() {
        let mut log = frame("first\n");
        let length = log.len();
        log.extend(b"{\"plain\":1}\n");
        let mut text = Vec::new();
        let mut frames = GrowingFrames::default();
        // Once damaged, it stays so, and keeps nothing of what still comes.
        for appended in [log, Vec::new(), frame("behind\n")] {
            let error = frames.push(&appended, &mut |part| text.extend_from_slice(part)).unwrap_err();
            assert!(
                matches!(error, LogError::Damaged { bytes } if usize::try_from(bytes).unwrap() == length),
                "{error}"
            );
        }
        assert_eq!(text, b"first\n");
        assert!(frames.pending.is_empty());
    }
}
