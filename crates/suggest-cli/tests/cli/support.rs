//! Running the program in an empty world: no variables, no home but a fresh folder.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A fresh home folder, and everything that a run sees.
pub(crate) struct World {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// The same world with a variable set.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same world with a configuration file in its usual place.
    pub(crate) fn configured(self, text: &str) -> Self {
        self.write("config/suggest/config.toml", text);
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and gives its path as an argument.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path.display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_suggest"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.finished(arguments, self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.start(arguments);
        // The program may not want all of it.
        let _ = child.stdin.take().unwrap().write_all(input);
        self.finished(arguments, child.wait_with_output().unwrap())
    }

    /// Starts a run whose standard input we hold.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdin(Stdio::piped()).spawn().unwrap()
    }

    /// A run that the person interrupts once something has come about: it says so, and prints nothing else.
    #[cfg(unix)]
    pub(crate) fn interrupted(&self, arguments: &[&str], begun: impl FnOnce()) {
        let child = self.start(arguments);
        begun();
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let run = self.finished(arguments, child.wait_with_output().unwrap()).ends_with(130);
        assert_eq!(run.stdout, "", "{run}");
        assert!(run.stderr.contains("interrupted"), "{run}");
    }

    pub(crate) fn finished(&self, arguments: &[&str], output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run {
            line: self.tidy(&arguments.join(" ")),
            status: output.status.code(),
            stdout: self.tidy(&text(output.stdout)),
            stderr: self.tidy(&text(output.stderr)),
        }
    }

    /// Every file in this world, with its bytes.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    files.push((path, bytes));
                }
            }
        }
        files
    }

    fn tidy(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "~")
            .replace(&root().display().to_string(), "[repository]")
    }
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    line: String,
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// Checks how it ended, and says everything if it ended otherwise.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }
}

/// The whole terminal, as a person sees it.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ suggest {}", self.line)?;
        f.write_str(&self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "--- standard error\n{}", self.stderr)?;
        }
        write!(f, "--- exit status {}", self.status.unwrap_or(-1))
    }
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap().to_owned()
}

/// The session that ships with the repository.
pub(crate) fn sample() -> String {
    root().join("examples/sessions/ledger-report.jsonl").display().to_string()
}

/// A session of one completed turn, as neutral events.
pub(crate) fn events(answer: &str) -> String {
    [
        serde_json::json!({ "type": "turn_started", "turn": 1 }),
        serde_json::json!({ "type": "message", "author": "human", "text": "Add a --json flag to `report`." }),
        serde_json::json!({ "type": "message", "author": "assistant", "text": answer }),
        serde_json::json!({ "type": "turn_ended", "turn": 1, "reason": "completed" }),
    ]
    .iter()
    .map(|event| format!("{event}\n"))
    .collect()
}

pub(crate) const FAILING: &str = "The flag is in. `report::empty_ledger` still fails.";
pub(crate) const FAILING_STEP: &str = "Fix the failing test `report::empty_ledger`\n";
