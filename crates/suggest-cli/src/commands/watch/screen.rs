//! The terminal: taken at the start, drawn on, and given back however the run ends.

use crate::bar::{Line, Look};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Attribute, Color, Print, ResetColor, SetAttribute, SetForegroundColor};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the terminal is ours now. A panic can come from anywhere, so this is known to the whole process.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal to draw on and to read keys from.
pub(super) fn is_possible() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

/// The terminal, while it is ours.
#[derive(Debug)]
pub(super) struct Screen {
    coloured: bool,
    drawn: Vec<Line>,
    size: (u16, u16),
}

impl Screen {
    /// Takes the terminal. It is given back when this is dropped, and when the program panics.
    pub(super) fn take() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        let coloured = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let mut screen = Self { coloured, drawn: Vec::new(), size: (0, 0) };
        screen.take_again()?;
        Ok(screen)
    }

    /// Takes it again after it was given back for a pause.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        self.drawn.clear();
        self.size = (0, 0);
        Ok(())
    }

    /// Columns and rows.
    pub(super) fn size() -> (usize, usize) {
        let (columns, rows) = size().unwrap_or((80, 24));
        (usize::from(columns.max(1)), usize::from(rows.max(1)))
    }

    /// Draws the lines if they are others than those that stand there.
    pub(super) fn draw(&mut self, lines: Vec<Line>) -> io::Result<()> {
        let now = size().unwrap_or((80, 24));
        if lines == self.drawn && now == self.size {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        queue!(out, MoveTo(0, 0))?;
        for (row, line) in (0_u16..).zip(&lines) {
            queue!(out, MoveTo(0, row), Clear(ClearType::UntilNewLine))?;
            for piece in &line.0 {
                self.style(&mut out, piece.look)?;
                queue!(out, Print(&piece.text))?;
                if self.coloured {
                    queue!(out, ResetColor, SetAttribute(Attribute::Reset))?;
                }
            }
        }
        let below = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        if below < now.1 {
            queue!(out, MoveTo(0, below), Clear(ClearType::FromCursorDown))?;
        }
        out.flush()?;
        (self.drawn, self.size) = (lines, now);
        Ok(())
    }

    fn style(&self, out: &mut impl io::Write, look: Look) -> io::Result<()> {
        if !self.coloured {
            return Ok(());
        }
        match look {
            Look::Faint => queue!(out, SetAttribute(Attribute::Dim)),
            Look::Strong => queue!(out, SetAttribute(Attribute::Bold)),
            Look::Good => queue!(out, SetForegroundColor(Color::Green)),
            Look::Busy => queue!(out, SetForegroundColor(Color::Yellow)),
            Look::Bad => queue!(out, SetForegroundColor(Color::Red)),
        }
    }

    /// Puts a text into the clipboard by the terminal's own means (OSC 52): exactly these bytes (rule D11).
    pub(super) fn copy(text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write!(out, "\x1b]52;c;{}\x07", base64(text.as_bytes()))?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back as it was. A second time does nothing.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing back.
        let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4_usize {
            let sextet = word >> (18 - 6 * place) & 63;
            let letter = usize::try_from(sextet).ok().and_then(|index| LETTERS.get(index)).copied();
            text.push(if place > chunk.len() { '=' } else { char::from(letter.unwrap_or(b'=')) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clipboard_gets_the_same_bytes() {
        for (text, encoded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("测试", "5rWL6K+V")]
        {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
    }
}
