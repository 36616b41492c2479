//! The first step of cleaning: characters that would reach a terminal or a composer as something else than text.

const ESCAPE: char = '\u{1b}';
const STRING_TERMINATOR: char = '\u{9c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
/// Subdivision flags have at most six tag characters before the cancel tag.
const MAX_FLAG_TAGS: usize = 6;

/// Removes control characters, whole terminal escape sequences, bidirectional overrides, embeddings and isolates,
/// and zero-width characters. Directional marks, and joiners and selectors that emoji and scripts need, stay.
/// Every kind of line break becomes `\n`, so that no two lines are ever joined; a tab becomes a space.
pub(super) fn strip_unsafe(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut previous = None;
    let mut chars = text.chars();
    while let Some(character) = chars.next() {
        let next = chars.clone().next();
        let keep = match character {
            ESCAPE => {
                skip_escape(&mut chars);
                None
            }
            '\u{9b}' => {
                skip_control_sequence(&mut chars);
                None
            }
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => {
                skip_control_string(&mut chars);
                None
            }
            '\r' if next == Some('\n') => None,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            '\t' => Some(' '),
            ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
                joiner_is_needed(previous, character, next).then_some(character)
            }
            '\u{fe0e}' | '\u{fe0f}' => previous
                .is_some_and(|before| {
                    is_pictograph(before) || (matches!(before, '0'..='9' | '#' | '*') && next == Some(KEYCAP))
                })
                .then_some(character),
            '\u{e0100}'..='\u{e01ef}' => previous.is_some_and(is_ideograph).then_some(character),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                previous.is_some_and(|before| matches!(before, '\u{1820}'..='\u{18aa}')).then_some(character)
            }
            BLACK_FLAG => {
                kept.push(character);
                previous = Some(character);
                if let Some(tags) = flag_tags(&chars) {
                    for tag in chars.by_ref().take(tags) {
                        kept.push(tag);
                        previous = Some(tag);
                    }
                }
                continue;
            }
            _ if is_removed(character) => None,
            _ => Some(character),
        };
        if let Some(keep) = keep {
            kept.push(keep);
            previous = Some(keep);
        }
    }
    kept
}

/// Left-to-right, right-to-left and Arabic letter mark: they stay, and are looked through at the edges.
pub(super) fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// White space and directional marks: what may stand before a label, a prefix or a command.
pub(super) fn is_blank_edge(character: char) -> bool {
    character.is_whitespace() || is_direction_mark(character)
}

/// Emoji and the symbols that take an emoji presentation (a superset of Unicode's pictographs in these blocks).
pub(super) fn is_pictograph(character: char) -> bool {
    matches!(
        character,
        '\u{a9}'
            | '\u{ae}'
            | '\u{203c}'
            | '\u{2049}'
            | '\u{2122}'
            | '\u{2139}'
            | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{24c2}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2934}'
            | '\u{2935}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{3030}'
            | '\u{303d}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

pub(super) fn is_ideograph(character: char) -> bool {
    matches!(
        character,
        '\u{3005}'..='\u{3007}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

fn is_removed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'
                | '\u{ffff}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn joiner_is_needed(previous: Option<char>, joiner: char, next: Option<char>) -> bool {
    let Some(previous) = previous else { return false };
    let joins_emoji = joiner == ZERO_WIDTH_JOINER
        && (is_pictograph(previous) || previous == '\u{fe0f}' || previous == CANCEL_TAG)
        && next.is_some_and(is_pictograph);
    joins_emoji || is_joining_script(previous)
}

/// Scripts in which a joiner changes how letters connect: Arabic and its kin, the Indic family, Mongolian, Adlam.
fn is_joining_script(character: char) -> bool {
    matches!(
        character,
        '\u{620}'..='\u{65f}'
            | '\u{66e}'..='\u{6d3}'
            | '\u{6d5}'..='\u{6ef}'
            | '\u{6fa}'..='\u{7ff}'
            | '\u{840}'..='\u{dff}'
            | '\u{f40}'..='\u{109f}'
            | '\u{1780}'..='\u{17b3}'
            | '\u{17b6}'..='\u{17d3}'
            | '\u{1820}'..='\u{18aa}'
            | '\u{1a20}'..='\u{1aad}'
            | '\u{1b00}'..='\u{1c4f}'
            | '\u{a840}'..='\u{a8ff}'
            | '\u{a980}'..='\u{aaff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10a3f}'
            | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}

/// How many characters of a well-formed subdivision flag follow, the cancel tag included.
fn flag_tags(following: &std::str::Chars<'_>) -> Option<usize> {
    for (index, character) in following.clone().take(MAX_FLAG_TAGS + 1).enumerate() {
        match character {
            CANCEL_TAG if index > 0 => return Some(index + 1),
            '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}' => {}
            _ => return None,
        }
    }
    None
}

fn skip_escape(chars: &mut std::str::Chars<'_>) {
    match chars.clone().next() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_control_string(chars);
        }
        // Single shifts apply to one more character.
        Some('N' | 'O') => {
            chars.next();
            skip_one_of(chars, '!'..='~');
        }
        // Few sequences begin with a space; after a stray escape it is the text's own.
        Some(' ') => {
            let mut ahead = chars.clone();
            ahead.next();
            if matches!(ahead.next(), Some('F' | 'G' | 'L'..='N')) {
                *chars = ahead;
            }
        }
        Some('!'..='/') => {
            skip_while(chars, ' '..='/');
            skip_one_of(chars, '0'..='~');
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut std::str::Chars<'_>) {
    skip_while(chars, '0'..='?');
    skip_while(chars, ' '..='/');
    skip_one_of(chars, '@'..='~');
}

/// Skips to the terminator (BEL, ST, CAN, SUB). A line break or another escape ends it too: what a broken sequence
/// swallows is at most its own line.
fn skip_control_string(chars: &mut std::str::Chars<'_>) {
    loop {
        let mut ahead = chars.clone();
        match ahead.next() {
            None | Some('\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') => return,
            Some('\u{7}' | STRING_TERMINATOR | '\u{18}' | '\u{1a}') => {
                *chars = ahead;
                return;
            }
            Some(ESCAPE) => {
                if ahead.next() == Some('\\') {
                    *chars = ahead;
                }
                return;
            }
            Some(_) => *chars = ahead,
        }
    }
}

fn skip_while(chars: &mut std::str::Chars<'_>, range: std::ops::RangeInclusive<char>) {
    while chars.clone().next().is_some_and(|character| range.contains(&character)) {
        chars.next();
    }
}

fn skip_one_of(chars: &mut std::str::Chars<'_>, range: std::ops::RangeInclusive<char>) {
    if chars.clone().next().is_some_and(|character| range.contains(&character)) {
        chars.next();
    }
}
