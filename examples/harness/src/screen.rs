//! What the person sees: one line after the other, with the speaker in front.

use std::io::Write;

/// The terminal. Whatever a model or a program wrote goes through it, so that none of them can move the cursor.
pub(crate) struct Screen {
    output: Box<dyn Write + Send>,
}

impl Screen {
    pub(crate) fn new(output: impl Write + Send + 'static) -> Self {
        Self { output: Box::new(output) }
    }

    /// Shows a text, its lines under each other behind the speaker's name.
    pub(crate) fn say(&mut self, speaker: &str, text: &str) {
        let mut name = speaker;
        for line in text.trim_end().lines() {
            // A terminal that is gone ends the input too, and with it the harness.
            let _ = writeln!(self.output, "{name:>8}  {}", plain(line));
            name = "";
        }
        let _ = self.output.flush();
    }
}

/// The text without terminal escapes, and without marks that hide something or turn the direction of writing: a command
/// that the person is asked about must be what it looks like.
fn plain(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            '\t' => ' ',
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => '\u{fffd}',
            '\u{2060}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_move_the_cursor_or_hide_what_it_says() {
        assert_eq!(plain("rm\t-r \u{1b}[2Kx\u{202e}y"), "rm -r \u{fffd}[2Kx\u{fffd}y");
    }
}
