//! Stands in for an agent in tests: `recorded_agent RECORDING HEARD` says what the agent of a recording said, each part when
//! the editor has said its part, and writes what it heard into a file.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
struct Entry<'a> {
    dir: &'a str,
    #[serde(borrow)]
    msg: &'a RawValue,
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let missing = || io::Error::other("name a recording and a file");
    let recording = std::fs::read_to_string(arguments.next().ok_or_else(missing)?)?;
    let mut heard = File::create(arguments.next().ok_or_else(missing)?)?;
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    for line in recording.lines() {
        let entry: Entry<'_> = serde_json::from_str(line)?;
        if entry.dir == "client" {
            let mut line = Vec::new();
            stdin.read_until(b'\n', &mut line)?;
            heard.write_all(&line)?;
        } else {
            writeln!(stdout, "{}", entry.msg.get())?;
            stdout.flush()?;
        }
    }
    // Whatever else it hears until the editor goes.
    io::copy(&mut stdin, &mut heard)?;
    heard.flush()
}
