//! WebSocket frames (RFC 6455): ready-made ones that many subscribers share, and what one of them sends.
//!
//! Frames are made here and not by a general library because one message goes to a hundred subscribers: it is framed and
//! packed (RFC 7692, `permessage-deflate`) once, and each connection writes the same bytes without a copy of its own.

use axum::body::Bytes;
use flate2::{Compress, Compression, FlushCompress, Status};
use std::io::Cursor;
use std::sync::OnceLock;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};

/// What a server that packs answers to the offer of a client. Every message is packed by itself.
pub(crate) const PACKS: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
/// Shorter messages are not worth packing.
const WORTH_PACKING: usize = 1_024;
/// The longest frame that a subscriber may send. Nothing that it sends has a meaning.
const LONGEST: u64 = 4 * 1024;
/// The longest payload of a control frame.
const LONGEST_CONTROL: u64 = 125;
/// What ends a flushed block and is not sent.
const BLOCK_END: [u8; 4] = [0, 0, 0xff, 0xff];

/// A text message, ready for any number of subscribers.
#[derive(Debug)]
pub(crate) struct Parcel {
    plain: Bytes,
    text_at: usize,
    packed: OnceLock<Bytes>,
}

impl Parcel {
    pub(crate) fn new(text: &str) -> Self {
        let plain = frame(OpCode::Data(Data::Text), false, text.as_bytes());
        Self { text_at: plain.len() - text.len(), plain, packed: OnceLock::new() }
    }

    /// The frame, packed for one who asked for that.
    pub(crate) fn frame(&self, packs: bool) -> Bytes {
        let text = self.plain.get(self.text_at..).unwrap_or_default();
        if !packs || text.len() < WORTH_PACKING {
            return self.plain.clone();
        }
        let packed = || match pack(text) {
            Some(packed) => frame(OpCode::Data(Data::Text), true, &packed),
            None => self.plain.clone(),
        };
        self.packed.get_or_init(packed).clone()
    }
}

/// The text deflated by itself; nothing where that does not work, and then it goes as it is.
fn pack(text: &[u8]) -> Option<Vec<u8>> {
    let mut packed = Vec::with_capacity(text.len() / 4 + 64);
    let mut deflate = Compress::new(Compression::fast(), false);
    loop {
        let read = usize::try_from(deflate.total_in()).ok()?;
        let status = deflate.compress_vec(text.get(read..)?, &mut packed, FlushCompress::Sync).ok()?;
        let all_in = deflate.total_in() == u64::try_from(text.len()).ok()?;
        if all_in && packed.len() < packed.capacity() {
            break;
        }
        if status == Status::StreamEnd {
            return None;
        }
        packed.reserve(packed.capacity());
    }
    packed.ends_with(&BLOCK_END).then(|| packed.truncate(packed.len() - BLOCK_END.len()))?;
    Some(packed)
}

/// A ping without payload.
pub(crate) fn ping() -> Bytes {
    frame(OpCode::Control(Control::Ping), false, &[])
}

/// The answer to a ping.
pub(crate) fn pong(payload: &[u8]) -> Bytes {
    frame(OpCode::Control(Control::Pong), false, payload)
}

/// The end of a conversation.
pub(crate) fn close(code: CloseCode, reason: &str) -> Bytes {
    let mut payload = u16::from(code).to_be_bytes().to_vec();
    payload.extend_from_slice(reason.as_bytes());
    frame(OpCode::Control(Control::Close), false, &payload)
}

fn frame(opcode: OpCode, packed: bool, payload: &[u8]) -> Bytes {
    let header = FrameHeader { is_final: true, rsv1: packed, rsv2: false, rsv3: false, opcode, mask: None };
    let mut bytes = Vec::with_capacity(payload.len() + 10);
    let length = u64::try_from(payload.len()).unwrap_or(u64::MAX);
    // A vector takes whatever is written to it.
    let _ = header.format(length, &mut bytes);
    bytes.extend_from_slice(payload);
    bytes.into()
}

/// Whether a client's `Sec-WebSocket-Extensions` offers what [`PACKS`] accepts. An offer that RFC 7692 (section 7.1) does not
/// know, or that asks for a smaller window than ours, is passed over.
pub(crate) fn offers_packing(extensions: &str) -> bool {
    extensions.split(',').any(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let is_ours = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("permessage-deflate"));
        let mut named = Vec::new();
        is_ours
            && parts.all(|part| {
                let (name, value) =
                    part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value.trim())));
                let name = name.trim().to_ascii_lowercase();
                let fits = match &*name {
                    "server_no_context_takeover" | "client_no_context_takeover" => value.is_none(),
                    "client_max_window_bits" => value.is_none_or(is_window),
                    _ => false,
                };
                let fits = fits && !named.contains(&name);
                named.push(name);
                fits
            })
    })
}

/// Whether the value names a window that there is.
fn is_window(value: &str) -> bool {
    let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    ["8", "9", "10", "11", "12", "13", "14", "15"].contains(&bare)
}

/// What a subscriber said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It wants this back.
    Ping(Vec<u8>),
    /// It leaves.
    Close,
    /// Anything else; it only shows that somebody is there.
    Other,
}

/// Why a conversation ends at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// No frame that RFC 6455 allows here.
    Protocol,
    /// A frame longer than a subscriber has a use for.
    TooLong,
    /// The connection.
    Lost,
}

impl Broken {
    /// The code that a last word has.
    pub(crate) fn code(self) -> CloseCode {
        match self {
            Self::TooLong => CloseCode::Size,
            Self::Protocol | Self::Lost => CloseCode::Protocol,
        }
    }
}

/// The frames that one subscriber sends.
#[derive(Debug)]
pub(crate) struct Incoming<R> {
    stream: R,
    buffer: Vec<u8>,
    /// What of the buffer is done with.
    done: usize,
    packs: bool,
    /// Whether a message is under way whose last frame is not there yet.
    within: bool,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    /// Reads from a stream of which these bytes were read already; `packs` is whether messages may be packed.
    pub(crate) fn new(stream: R, read: &[u8], packs: bool) -> Self {
        Self { stream, buffer: read.to_vec(), done: 0, packs, within: false }
    }

    /// The next frame. It may be given up at any moment and asked again: nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<Heard, Broken> {
        loop {
            if let Some(heard) = self.parse()? {
                return Ok(heard);
            }
            // Many short frames in one read are moved once and not once each.
            self.buffer.drain(..self.done);
            self.done = 0;
            if self.stream.read_buf(&mut self.buffer).await.map_err(|_| Broken::Lost)? == 0 {
                return Ok(Heard::Close);
            }
        }
    }

    fn parse(&mut self) -> Result<Option<Heard>, Broken> {
        let rest = self.buffer.get(self.done..).unwrap_or_default();
        let mut cursor = Cursor::new(rest);
        let parsed = FrameHeader::parse(&mut cursor).map_err(|_| Broken::Protocol)?;
        let Some((header, length)) = parsed else { return Ok(None) };
        let begin = usize::try_from(cursor.position()).map_err(|_| Broken::Protocol)?;
        let Some(mask) = header.mask else { return Err(Broken::Protocol) };
        if header.rsv2 || header.rsv3 || begin != header.len(length) {
            return Err(Broken::Protocol);
        }
        let (fits, longest) = match header.opcode {
            OpCode::Control(_) => (header.is_final && !header.rsv1, LONGEST_CONTROL),
            OpCode::Data(Data::Continue) => (self.within && !header.rsv1, LONGEST),
            OpCode::Data(_) => (!self.within && (self.packs || !header.rsv1), LONGEST),
        };
        if !fits || length > longest && longest == LONGEST_CONTROL {
            return Err(Broken::Protocol);
        }
        if length > longest {
            return Err(Broken::TooLong);
        }
        let end = begin + usize::try_from(length).map_err(|_| Broken::TooLong)?;
        let Some(payload) = rest.get(begin..end) else { return Ok(None) };
        let plain =
            || payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect::<Vec<u8>>();
        let heard = match header.opcode {
            OpCode::Control(Control::Ping) => Heard::Ping(plain()),
            OpCode::Control(Control::Close) => {
                if !is_farewell(&plain()) {
                    return Err(Broken::Protocol);
                }
                Heard::Close
            }
            OpCode::Control(Control::Pong) => Heard::Other,
            OpCode::Data(Data::Continue | Data::Text | Data::Binary) => {
                self.within = !header.is_final;
                Heard::Other
            }
            OpCode::Control(Control::Reserved(_)) | OpCode::Data(Data::Reserved(_)) => {
                return Err(Broken::Protocol);
            }
        };
        self.done += end;
        Ok(Some(heard))
    }
}

/// Whether a close frame may say this: nothing, or a code that goes over the wire, and a reason in UTF-8.
fn is_farewell(payload: &[u8]) -> bool {
    match payload {
        [] => true,
        [high, low, reason @ ..] => {
            let code = u16::from_be_bytes([*high, *low]);
            CloseCode::from(code).is_allowed() && std::str::from_utf8(reason).is_ok()
        }
        [_] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::io;

    fn unpacked(frame: &[u8]) -> Vec<u8> {
        let mut cursor = Cursor::new(frame);
        let (header, length) = FrameHeader::parse(&mut cursor).unwrap().unwrap();
        assert!(header.is_final && header.mask.is_none());
        let begin = usize::try_from(cursor.position()).unwrap();
        assert_eq!(u64::try_from(frame.len() - begin).unwrap(), length);
        if !header.rsv1 {
            return frame[begin..].to_vec();
        }
        let packed = [&frame[begin..], &BLOCK_END].concat();
        let mut text = Vec::with_capacity(1024 * 1024);
        let mut inflate = flate2::Decompress::new(false);
        inflate.decompress_vec(&packed, &mut text, flate2::FlushDecompress::Sync).unwrap();
        text
    }

    #[test]
    fn a_parcel_is_the_same_text_packed_or_not() {
        let noise = (0..300_000_u64).map(|at| format!("{:x}", at.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        for text in ["short".to_owned(), "long ".repeat(40_000), noise.take(50_000).collect::<String>()] {
            let parcel = Parcel::new(&text);
            assert!(unpacked(&parcel.frame(false)) == text.as_bytes());
            assert!(unpacked(&parcel.frame(true)) == text.as_bytes());
            assert!(parcel.frame(true).len() <= parcel.frame(false).len());
        }
        assert_eq!(Parcel::new("short").frame(true), Parcel::new("short").frame(false));
    }

    #[test]
    fn packing_is_done_where_it_is_offered_as_we_do_it() {
        for offered in [
            "permessage-deflate",
            "permessage-deflate; client_max_window_bits",
            "x, permessage-deflate;client_max_window_bits=10",
            "permessage-deflate; client_max_window_bits=\"15\"; server_no_context_takeover",
            "permessage-deflate; server_max_window_bits=9, permessage-deflate",
        ] {
            assert!(offers_packing(offered), "{offered}");
        }
        for other in [
            "",
            "x-webkit-deflate-frame",
            "permessage-deflate; server_max_window_bits=9",
            "permessage-deflate; made_up",
            "permessage-deflate;",
            "permessage-deflate; client_max_window_bits=7",
            "permessage-deflate; client_max_window_bits=016",
            "permessage-deflate; client_max_window_bits; client_max_window_bits",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; client_no_context_takeover; Client_No_Context_Takeover",
        ] {
            assert!(!offers_packing(other), "{other}");
        }
    }

    /// A frame as clients send it, masked.
    fn said(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![first];
        match payload.len() {
            short @ 0..=125 => bytes.push(0x80 | u8::try_from(short).unwrap()),
            long => {
                bytes.push(0x80 | 126);
                bytes.extend(u16::try_from(long).unwrap().to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    async fn heard(bytes: &[u8], packs: bool) -> Vec<Result<Heard, Broken>> {
        // One byte at a time: frames come in any pieces.
        let mut incoming = Incoming::new(tokio_util::io::StreamReader::new(pieces(bytes)), &[], packs);
        let mut all = Vec::new();
        loop {
            let one = incoming.next().await;
            let is_last = !matches!(one, Ok(Heard::Ping(_) | Heard::Other));
            all.push(one);
            if is_last {
                return all;
            }
        }
    }

    fn pieces(bytes: &[u8]) -> impl futures_util::Stream<Item = io::Result<Bytes>> + Unpin {
        let bytes: Vec<_> = bytes.iter().map(|byte| Ok(Bytes::copy_from_slice(&[*byte]))).collect();
        futures_util::stream::iter(bytes)
    }

    #[tokio::test]
    async fn frames_are_read_in_any_pieces_and_broken_ones_end_it() {
        let bytes = [
            said(0x81, b"hello"),
            said(0x89, b"ping"),
            said(0x01, &[b'x'; 200]),
            said(0x8a, b"pong within"),
            said(0x00, b""),
            said(0x80, b"end"),
            said(0xc2, b""),
            said(0x88, b"\x03\xe8bye"),
        ]
        .concat();
        let all: Vec<Heard> = heard(&bytes, true).await.into_iter().map(Result::unwrap).collect();
        let ping = Heard::Ping(b"ping".to_vec());
        let others = std::iter::repeat_with(|| Heard::Other).take(5);
        let wanted: Vec<Heard> =
            [Heard::Other, ping].into_iter().chain(others).chain([Heard::Close]).collect();
        assert_eq!(all, wanted);
        let long = said(0x81, &[b'x'; 5_000]);
        assert_eq!(heard(&long, true).await.pop().unwrap(), Err(Broken::TooLong));
        let huge = [&[0x81, 0xff], &u64::MAX.to_be_bytes()[..], &[0; 4]].concat();
        assert_eq!(heard(&huge, true).await.pop().unwrap(), Err(Broken::TooLong));
        // A length that has a shorter form.
        let padded = [0x81, 0xfe, 0, 1, 0, 0, 0, 0, b'x'];
        for broken in [
            said(0x89, &[b'x'; 126]),
            vec![0x81, 1, b'x'],
            padded.to_vec(),
            said(0x09, b""),
            said(0x83, b""),
            said(0xa1, b""),
            said(0xc9, b""),
            said(0x80, b"the end of nothing"),
            [said(0x01, b""), said(0x81, b"another within")].concat(),
            [said(0x41, b""), said(0xc0, b"")].concat(),
            said(0x88, b"x"),
            said(0x88, b"\x03\xed"),
            said(0x88, b"\0\0"),
            said(0x88, b"\x03\xe8\xff"),
        ] {
            assert_eq!(
                heard(&broken, true).await.pop().unwrap(),
                Err(Broken::Protocol),
                "{:?}",
                broken.get(..2)
            );
        }
        assert_eq!(
            heard(&said(0xc1, b""), false).await.pop().unwrap(),
            Err(Broken::Protocol),
            "not packed here"
        );
        assert_eq!(heard(&[0x81], true).await.pop().unwrap(), Ok(Heard::Close));
    }

    /// Whatever bytes come, reading them ends, and no more is held than one frame and one read.
    #[tokio::test]
    async fn noise_is_read_to_its_end_within_bounds() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut any = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for _ in 0..5_000 {
            let mut bytes = Vec::new();
            for _ in 0..any() % 6 {
                let [first, length, more, ..] = any().to_be_bytes();
                let mut one = said(
                    [0x81, 0x89, 0x8a, 0x88, 0x01, 0x80, first][usize::from(more % 7)],
                    &vec![first; usize::from(length)],
                );
                if more > 220 {
                    one[1] ^= 0x81;
                }
                bytes.extend(one);
            }
            let mut incoming = Incoming::new(&*bytes, &[], any() % 2 == 0);
            let mut turns = 0;
            while matches!(incoming.next().await, Ok(Heard::Ping(_) | Heard::Other)) {
                turns += 1;
                assert!(turns <= bytes.len());
                assert!(incoming.buffer.capacity() <= 32 * 1024);
            }
        }
    }
}
