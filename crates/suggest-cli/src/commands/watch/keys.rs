//! The keyboard, read on a thread of its own because reading waits.

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, poll, read};
use std::time::Duration;
use tokio::sync::mpsc;

/// What a person asked for. Enter is none of it (rule D11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Expand,
    Copy,
    Dismiss,
    Retry,
    Switch,
    Quit,
    Interrupt,
    Pause,
    /// The terminal has another size.
    Resize,
    /// There is no keyboard any more.
    Gone,
}

/// Starts reading.
pub(super) fn listen() -> mpsc::Receiver<Key> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let key = match poll(Duration::from_millis(250)) {
                Ok(false) => continue,
                Ok(true) => match read() {
                    Ok(event) => key_of(&event),
                    Err(_) => Some(Key::Gone),
                },
                Err(_) => Some(Key::Gone),
            };
            let Some(key) = key else { continue };
            if sender.blocking_send(key).is_err() || key == Key::Gone {
                break;
            }
        }
    });
    receiver
}

fn key_of(event: &Event) -> Option<Key> {
    let key = match event {
        Event::Resize(..) => return Some(Key::Resize),
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        _ => return None,
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    match (key.code, control) {
        (KeyCode::Char('c'), true) => Some(Key::Interrupt),
        (KeyCode::Char('z'), true) => Some(Key::Pause),
        (_, true) => None,
        (KeyCode::Char('e'), _) => Some(Key::Expand),
        (KeyCode::Char('c'), _) => Some(Key::Copy),
        (KeyCode::Char('d'), _) => Some(Key::Dismiss),
        (KeyCode::Char('r'), _) => Some(Key::Retry),
        (KeyCode::Char('o'), _) => Some(Key::Switch),
        (KeyCode::Char('q'), _) => Some(Key::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    #[test]
    fn enter_and_everything_unknown_does_nothing_d11() {
        for code in [KeyCode::Enter, KeyCode::Char('\n'), KeyCode::Tab, KeyCode::Esc, KeyCode::Char('x')] {
            assert_eq!(key_of(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE))), None, "{code:?}");
        }
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::CONTROL);
        assert_eq!(key_of(&Event::Key(enter)), None);
    }

    #[test]
    fn control_c_quits_and_c_copies() {
        let key = |modifiers| key_of(&Event::Key(KeyEvent::new(KeyCode::Char('c'), modifiers)));
        assert_eq!(key(KeyModifiers::CONTROL), Some(Key::Interrupt));
        assert_eq!(key(KeyModifiers::NONE), Some(Key::Copy));
    }
}
