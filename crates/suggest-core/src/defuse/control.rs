//! Removes what no reader sees: terminal escapes, control characters, bidirectional controls, hidden characters.

/// Text with LF line ends and without invisible characters. Joiners that emoji and scripts need stay.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    // The last character kept, to judge joiners and selectors by.
    let mut previous = '\n';
    while let Some(letter) = letters.next() {
        let kept = match letter {
            '\n' | '\t' => letter,
            '\r' => {
                if letters.peek() == Some(&'\n') {
                    continue;
                }
                '\n'
            }
            // Other line ends would let a line start unseen.
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            '\u{1b}' => {
                skip_escape(&mut letters);
                continue;
            }
            '\u{9b}' => {
                skip_control_sequence(&mut letters);
                continue;
            }
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                skip_string(&mut letters);
                continue;
            }
            '\u{200c}' | '\u{200d}' => {
                let joins = !previous.is_ascii() && letters.peek().is_some_and(|next| can_be_joined(*next));
                if !joins {
                    continue;
                }
                letter
            }
            '\u{fe00}'..='\u{fe0f}' => {
                let keycap = matches!(previous, '0'..='9' | '#' | '*') && letter == '\u{fe0f}';
                if previous.is_ascii() && !keycap || is_selector(previous) {
                    continue;
                }
                letter
            }
            '\u{e0020}'..='\u{e007f}' => {
                let flag = previous == '\u{1f3f4}' || matches!(previous, '\u{e0020}'..='\u{e007e}');
                if !flag {
                    continue;
                }
                letter
            }
            letter if is_hidden(letter) || letter.is_control() => continue,
            letter => letter,
        };
        out.push(kept);
        previous = kept;
    }
    out
}

fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a joiner may stand before this character: a visible one beyond ASCII.
fn can_be_joined(letter: char) -> bool {
    let unseen = is_hidden(letter) || is_selector(letter) || letter.is_control() || letter.is_whitespace();
    !(letter.is_ascii() || unseen || matches!(letter, '\u{200c}' | '\u{200d}' | '\u{e0020}'..='\u{e007f}'))
}

/// Bidirectional controls, zero-width characters without a purpose in text, and other invisible ones.
fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e001f}' | '\u{e0080}'..='\u{e0fff}'
    )
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips an escape sequence whose escape character is consumed.
fn skip_escape(letters: &mut Letters<'_>) {
    match letters.peek() {
        Some('[') => {
            letters.next();
            skip_control_sequence(letters);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            letters.next();
            skip_string(letters);
        }
        Some('\u{20}'..='\u{2f}') => {
            while letters.next_if(|next| matches!(next, '\u{20}'..='\u{2f}')).is_some() {}
            letters.next_if(|next| matches!(next, '\u{30}'..='\u{7e}'));
        }
        Some('\u{30}'..='\u{7e}') => {
            letters.next();
        }
        _ => {}
    }
}

/// Skips parameters, intermediates and the final character of a control sequence.
fn skip_control_sequence(letters: &mut Letters<'_>) {
    while letters.next_if(|next| matches!(next, '\u{20}'..='\u{3f}')).is_some() {}
    letters.next_if(|next| matches!(next, '\u{40}'..='\u{7e}'));
}

/// Skips a control string (title, link, device string) up to its end mark, or to the end of its line.
fn skip_string(letters: &mut Letters<'_>) {
    while let Some(next) = letters.peek().copied() {
        match next {
            '\n' | '\r' => return,
            '\u{7}' | '\u{9c}' => {
                letters.next();
                return;
            }
            '\u{1b}' => {
                letters.next();
                letters.next_if_eq(&'\\');
                return;
            }
            _ => {
                letters.next();
            }
        }
    }
}
