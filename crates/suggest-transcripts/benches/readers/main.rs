//! How fast each format is read, and how much memory that takes: the real recordings, repeated to 200 MB.
//!
//! `cargo bench -p suggest-transcripts --bench readers` prints one row a format. Each reading is a process of its own, so
//! that the system knows its highest memory. `READERS_MB=20` makes smaller logs, `READERS_ONLY=codex` one row.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement that cannot be taken has nothing to say"
)]

mod grow;

use grow::{Case, Log};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use suggest_core::{Event, Turn};
use suggest_host_dsh::{LogFile, LogReader};
use suggest_transcripts::{Format, ReadOptions, read, read_file};

/// What the measured process says first, so that its line is found.
const MARK: &str = "measured";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--read", way, name, turns, path] => one(way, name, turns, Path::new(path)),
        _ => all(),
    }
}

/// One reading, in a process of its own.
fn one(way: &str, name: &str, turns: &str, path: &Path) {
    let turns = turns.parse().map(Turn::new).expect("a number of turns");
    let whole = way == "whole";
    let clock = Clock::start();
    let mut told = Told::default();
    let mut count = |event| told.count(&event);
    if name.starts_with("dsh") {
        let options = suggest_host_dsh::ReadOptions::default();
        if whole {
            let file = File::open(path).expect("the log");
            LogReader::new(file).expect("a log").read(&options, &mut count).expect("a reading");
        } else {
            LogFile::open(path).expect("a log").read(&options, &mut count).expect("a reading");
        }
    } else {
        let format: Format = name.parse().expect("a format");
        let options = ReadOptions::default();
        if !whole {
            read_file(format, path, &options, &mut count).expect("a reading");
        } else if format == Format::OpencodeStore {
            // A turn that is asked for is counted from the beginning, so that everything is read.
            read_file(format, path, &options.at_turn(Some(turns)), &mut count).expect("a reading");
        } else {
            read(format, File::open(path).expect("the log"), &options, &mut count).expect("a reading");
        }
    }
    let seconds = clock.seconds();
    println!("{MARK} {seconds} {} {} {} {}", peak_kib(), told.events, told.turns, told.rewrites);
}

/// Measures the time that the processor worked for us, so that what else the machine does counts little; the time that
/// passed, where the system does not tell.
struct Clock {
    started: Instant,
    worked: Option<u64>,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), worked: Self::worked() }
    }

    /// Nanoseconds on a processor so far, of the one thread that there is.
    fn worked() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    fn seconds(&self) -> f64 {
        match (self.worked, Self::worked()) {
            (Some(before), Some(now)) if now > before => Duration::from_nanos(now - before).as_secs_f64(),
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

/// What a reading told.
#[derive(Debug, Default)]
struct Told {
    events: u64,
    turns: u64,
    rewrites: u64,
}

impl Told {
    fn count(&mut self, event: &Event) {
        self.events += 1;
        match event {
            Event::TurnStarted { .. } => self.turns += 1,
            Event::HistoryRewritten => self.rewrites += 1,
            _ => {}
        }
    }
}

/// The most memory that this process had, in KiB; 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

struct Measured {
    seconds: f64,
    peak_kib: u64,
    told: Told,
}

/// The best time and the highest memory of three readings.
fn measure(way: &str, case: &Case, log: &Log) -> Measured {
    let runs = (0..3).map(|_| {
        let turns = log.turns.to_string();
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--read", way, case.name, &turns])
            .arg(&log.path)
            .output()
            .expect("a reading");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix(MARK)).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let mut words = line.split_whitespace();
        let seconds = words.next().and_then(|word| word.parse().ok()).expect("seconds");
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
        let peak_kib = number();
        let told = Told { events: number(), turns: number(), rewrites: number() };
        Measured { seconds, peak_kib, told }
    });
    runs.reduce(|best, next| Measured {
        seconds: best.seconds.min(next.seconds),
        peak_kib: best.peak_kib.max(next.peak_kib),
        told: next.told,
    })
    .expect("three runs")
}

fn all() {
    let megabytes: u64 = std::env::var("READERS_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let only = std::env::var("READERS_ONLY").ok();
    let folder = tempfile::tempdir().expect("a folder");
    println!("| Format | Log | Whole | Peak | Events | As `suggest next` reads it | Peak |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for case in grow::cases() {
        if only.as_ref().is_some_and(|only| only != case.name) {
            continue;
        }
        let log = case.make(folder.path(), megabytes * 1_000_000);
        let size = f64::from(u32::try_from(log.bytes / 1_000).expect("a size")) / 1_000.0;
        let whole = measure("whole", &case, &log);
        let tail = measure("tail", &case, &log);
        let told = &whole.told;
        if (told.turns, told.rewrites) != (log.turns, 0) {
            // Then the log is not what a long session looks like, and its figures mean nothing.
            eprintln!("{}: {} turns were written and {told:?} read", case.name, log.turns);
        }
        let mib = |kib: u64| format!("{:.1} MiB", f64::from(u32::try_from(kib).expect("a size")) / 1024.0);
        println!(
            "| `{}` | {size:.0} MB, {} turns | {:.0} MB/s | {} | {} | {:.0} ms | {} |",
            case.name,
            log.turns,
            size / whole.seconds,
            mib(whole.peak_kib),
            told.events,
            tail.seconds * 1_000.0,
            mib(tail.peak_kib),
        );
        std::fs::remove_file(&log.path).expect("the log can go");
    }
}
