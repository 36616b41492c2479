//! How long it takes from a person's act to every subscriber, with everything full: 1,000 sessions, 300 cards of ordinary
//! length, 300 summaries, 10,000 dismissals, 100 subscribers, packed and not. And the start with the file that this leaves.
//!
//! `cargo bench -p suggest-board` prints the numbers of `docs/board.md`. This is a program, not a harness: it measures
//! whole acts over real connections.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first surprise and prints"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use suggest_board::{Board, BoardServer, ServeOptions, Token};
use suggest_core::{
    CardManager, CardOrigin, Config, ModelSource, NewCard, Priority, SessionSetup, SessionSummary, Turn,
};
use suggest_engine::Engine;
use suggest_store::CardStore;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};

const SESSIONS: u64 = 1_000;
const DISMISSALS: u64 = 10_000;
const SUBSCRIBERS: usize = 100;
const ROUNDS: usize = 60;

fn card(number: u64) -> NewCard {
    let prompt = format!(
        "Fix the failing assertion in tests/case_{number}.rs: `parses_group_{number}` expects three items and gets two. Look at the loop in src/module_{number}.rs first."
    );
    NewCard::new(
        format!("Fix `parses_group_{number}`"),
        "The test failed in the last turn and nothing touched it since.",
        prompt,
    )
    .with_rank("follow-up", Priority::High)
    .about_files(vec![format!("tests/case_{number}.rs"), format!("src/module_{number}.rs")])
}

fn summary(session: String) -> SessionSummary {
    serde_json::from_value(serde_json::json!({
        "session": session, "text": "The parser reads nested lists now. Two tests of the lexer still fail, and the changelog is not written.",
        "origin": CardOrigin::Local, "turn": Turn::new(3), "created_at": 0, "updated_at": 0,
    }))
    .unwrap()
}

fn fill(cards: &mut CardManager, now: u64) {
    for number in 0..DISMISSALS {
        let id = cards.offer(&format!("old-{}", number % 500), vec![card(1_000_000 + number)], now).added;
        for id in id {
            let _ = cards.dismiss(&id, now);
        }
    }
    for number in 0..300 {
        cards.offer(&format!("session-{}", number / 3), vec![card(number)], now);
        cards.put_summary(summary(format!("session-{number}")));
    }
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// The processor time of this process so far, in the system's ticks of 10 ms.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        after_name.split_whitespace().skip(11).take(2).filter_map(|number| number.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

fn median(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap();
    (at(50), at(95))
}

/// Reads all bytes of every message, and looks at its beginning: what comes after that is the page's work, which another
/// process does. As browsers do it, `packs` asks for messages that are packed.
async fn subscriber(
    address: SocketAddr,
    token: String,
    told: mpsc::UnboundedSender<Instant>,
    wanted: Arc<AtomicU64>,
    packs: bool,
) {
    let mut stream = BufReader::with_capacity(256 * 1024, TcpStream::connect(address).await.unwrap());
    let extension = if packs { "Sec-WebSocket-Extensions: permessage-deflate\r\n" } else { "" };
    let head = format!(
        "GET /api/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         {extension}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = String::new();
    while stream.read_line(&mut line).await.unwrap() > 2 {
        line.clear();
    }
    loop {
        let Ok(kind) = stream.read_u8().await else { return };
        let length = match stream.read_u8().await.unwrap() {
            126 => u64::from(stream.read_u16().await.unwrap()),
            127 => stream.read_u64().await.unwrap(),
            short => u64::from(short),
        };
        let mut rest = (&mut stream).take(length);
        let mut seq = None;
        if length >= FIRST {
            let mut first = vec![0; usize::try_from(FIRST).unwrap()];
            rest.read_exact(&mut first).await.unwrap();
            seq = number(&first, kind & 0x40 != 0);
        }
        tokio::io::copy_buf(&mut rest, &mut tokio::io::sink()).await.unwrap();
        if seq.is_some_and(|seq| seq >= wanted.load(Ordering::Acquire)) {
            let _ = told.send(Instant::now());
        }
    }
}

/// So many bytes of a message hold the number of its snapshot, packed or not.
const FIRST: u64 = 512;

/// The number of the snapshot that begins with these bytes.
fn number(first: &[u8], is_packed: bool) -> Option<u64> {
    let mut text = Vec::with_capacity(2_048);
    if is_packed {
        let mut inflate = flate2::Decompress::new(false);
        inflate.decompress_vec(first, &mut text, flate2::FlushDecompress::None).ok()?;
    } else {
        text.extend_from_slice(first);
    }
    let text = String::from_utf8_lossy(&text);
    let rest = text.strip_prefix("{\"type\":\"suggestion_update\",\"seq\":")?;
    rest.split(',').next()?.parse().ok()
}

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
    runtime.shutdown_background();
}

async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suggestions.json");
    let store = CardStore::open(&path).unwrap();
    store.change(fill).unwrap();
    println!("file with the caps full: {} KiB", std::fs::metadata(&path).unwrap().len() / 1024);

    let before = resident_kib();
    let engine = Engine::builder().store(Arc::new(store.clone())).build().unwrap();
    let board = Board::new(engine, store.clone(), Config::default(), ModelSource::Config);
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        let setup = SessionSetup::new(format!("session-{number}"))
            .with_folders(Some(format!("/home/somebody/project-{number}")), None);
        sessions.push(board.open(setup, None).await.unwrap());
    }
    println!("memory of {SESSIONS} sessions: {} KiB each", (resident_kib() - before) / SESSIONS);

    let token = Token::random().unwrap();
    let options = ServeOptions::new("127.0.0.1:0".parse().unwrap(), token.clone());
    let server = BoardServer::bind(board.clone(), options).await.unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));

    let ids: Vec<String> = store.read(|cards| cards.open().map(|card| card.id.clone()).collect());
    let (packed, plain) = ids.split_at(ids.len() / 2);
    for (packs, ids) in [(true, packed), (false, plain)] {
        measure(&store, address, &token, packs, ids).await;
    }

    let _ = stop.send(());
    served.await.unwrap();
    drop(sessions);
    start(&path);
}

/// Dismisses cards one by one, and waits for every subscriber each time.
async fn measure(store: &CardStore, address: SocketAddr, token: &Token, packs: bool, ids: &[String]) {
    println!(
        "-- {SUBSCRIBERS} subscribers, {}",
        if packs { "as browsers ask: packed" } else { "not packed" }
    );
    let (told, mut heard) = mpsc::unbounded_channel();
    let wanted = Arc::new(AtomicU64::new(0));
    let readers: Vec<_> = (0..SUBSCRIBERS)
        .map(|_| {
            let (token, told, wanted) = (token.reveal().to_owned(), told.clone(), Arc::clone(&wanted));
            tokio::spawn(subscriber(address, token, told, wanted, packs))
        })
        .collect();
    for _ in 0..SUBSCRIBERS {
        heard.recv().await.unwrap();
    }
    println!("memory: {} KiB in all", resident_kib());
    let (mut acts, mut all) = (Vec::new(), Vec::new());
    let worked = processor();
    for id in ids.iter().take(ROUNDS) {
        wanted.store(store.read(CardManager::seq) + 1, Ordering::Release);
        let begun = Instant::now();
        let (one, id) = (store.clone(), id.clone());
        let act = tokio::task::spawn_blocking(move || {
            one.act(|cards, now| cards.dismiss(&id, now)).unwrap();
            begun.elapsed()
        });
        let mut last = begun;
        for _ in 0..SUBSCRIBERS {
            last = last.max(heard.recv().await.unwrap());
        }
        all.push(last - begun);
        acts.push(act.await.unwrap());
        tokio::time::sleep(Duration::from_millis(20)).await;
        while heard.try_recv().is_ok() {}
    }
    let worked = (processor() - worked) / u32::try_from(ROUNDS).unwrap();
    let (acts, all) = (median(acts), median(all));
    println!("a mutation, on the disk: median {:.1?}, 95 % {:.1?}", acts.0, acts.1);
    println!("a mutation, at every subscriber: median {:.1?}, 95 % {:.1?}", all.0, all.1);
    println!("processor time of one, server and subscribers together: {worked:.1?}");
    readers.iter().for_each(tokio::task::JoinHandle::abort);
}

/// The start with a file of 4 MB.
fn start(path: &std::path::Path) {
    let mut document: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let size = std::fs::metadata(path).unwrap().len();
    let missing = usize::try_from(4_000_000_u64.saturating_sub(size)).unwrap();
    let cards = document.get_mut("cards").and_then(serde_json::Value::as_array_mut).unwrap();
    let each = missing / cards.len().max(1);
    for card in cards.iter_mut() {
        if let Some(text) = card.get_mut("text") {
            *text = "a longer reason ".repeat(each / 16).into();
        }
    }
    std::fs::write(path, document.to_string()).unwrap();
    let size = std::fs::metadata(path).unwrap().len();
    let times = (0..20)
        .map(|_| {
            let begun = Instant::now();
            let store = CardStore::open(path).unwrap();
            let frame = serde_json::to_string(&store.read(|cards| cards.snapshot(None))).unwrap();
            assert!(frame.len() > 1_000);
            begun.elapsed()
        })
        .collect();
    let (middle, late) = median(times);
    println!("start with a file of {} KiB: median {middle:.1?}, 95 % {late:.1?}", size / 1024);
}
