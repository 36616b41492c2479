//! The bar on a terminal.

use super::keys::{Key, listen};
use super::screen::{Screen, give_back};
use super::session::Watched;
use super::signals::{Asked, Signals, stop_here};
use crate::bar::{BarView, Words};
use crate::exit::{Exit, Failure};
use std::io;
use suggest_core::{Command, OfferId};

/// What the person did to the bar itself.
#[derive(Debug, Default)]
struct Manner {
    expanded: bool,
    dismissed: Option<OfferId>,
    notice: Option<String>,
    /// The offer that the above is about.
    offer: Option<OfferId>,
}

/// Shows the bar until the person quits.
pub(super) async fn run(mut watched: Watched) -> Result<Exit, Failure> {
    let mut signals = Signals::new()?.with_pause();
    let mut screen = Screen::take().map_err(|error| terminal(&error))?;
    let ended = show(&mut watched, &mut signals, &mut screen).await;
    drop(screen);
    watched.close().await;
    ended
}

async fn show(watched: &mut Watched, signals: &mut Signals, screen: &mut Screen) -> Result<Exit, Failure> {
    let words = Words::of_environment();
    let mut keys = listen();
    let mut manner = Manner::default();
    watched.look()?;
    loop {
        draw(watched, &mut manner, words, screen)?;
        let asked = tokio::select! {
            change = watched.change() => {
                change?;
                continue;
            }
            asked = signals.next() => asked,
            key = keys.recv() => match key.unwrap_or(Key::Gone) {
                Key::Quit => return Ok(Exit::Success),
                Key::Interrupt => return Ok(Exit::Interrupted),
                Key::Gone => return Ok(Exit::HungUp),
                Key::Pause => Asked::Pause,
                key => {
                    act(key, watched, &mut manner, words).await.map_err(|error| terminal(&error))?;
                    continue;
                }
            },
        };
        match asked {
            Asked::End(exit) => return Ok(exit),
            Asked::Pause => {
                give_back();
                stop_here();
                screen.take_again().map_err(|error| terminal(&error))?;
            }
        }
    }
}

fn draw(
    watched: &mut Watched,
    manner: &mut Manner,
    words: &Words,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let state = watched.state();
    let offer = state.as_ref().and_then(|state| state.offer.as_ref()).map(|offer| offer.id);
    if offer != manner.offer {
        // Another offer: what was opened or said about the last one is over.
        *manner = Manner { offer, dismissed: manner.dismissed, ..Manner::default() };
    }
    let name = watched.name();
    let view = BarView {
        state: state.as_deref(),
        name: &name,
        is_folder: !watched.has_file(),
        dismissed: offer.is_some() && manner.dismissed == offer,
        expanded: manner.expanded,
        notice: manner.notice.as_deref(),
    };
    let (columns, rows) = Screen::size();
    screen.draw(view.lines(words, columns, rows)).map_err(|error| terminal(&error))
}

async fn act(key: Key, watched: &mut Watched, manner: &mut Manner, words: &Words) -> io::Result<()> {
    let state = watched.state();
    let offer = state.as_ref().and_then(|state| state.offer.as_ref());
    // Nothing is done with an offer that is not visible (rule D11).
    let visible = offer.filter(|offer| manner.dismissed != Some(offer.id));
    manner.notice = None;
    match key {
        Key::Expand => manner.expanded = !manner.expanded && visible.is_some(),
        Key::Copy => {
            let notice = match visible {
                Some(offer) => {
                    Screen::copy(&offer.text)?;
                    words.copied
                }
                None => words.no_offer,
            };
            manner.notice = Some(notice.to_owned());
        }
        Key::Dismiss => {
            if let Some(offer) = visible {
                manner.dismissed = Some(offer.id);
                manner.notice = Some(words.dismissed.to_owned());
            }
        }
        Key::Retry => manner.notice = watched.command(Command::Retry).await,
        Key::Switch => {
            let command = if watched.is_off() { Command::On } else { Command::Off };
            manner.notice = watched.command(command).await;
        }
        Key::Quit | Key::Interrupt | Key::Pause | Key::Resize | Key::Gone => {}
    }
    Ok(())
}

fn terminal(error: &io::Error) -> Failure {
    Failure::failed(format_args!("cannot draw on the terminal: {error}"))
        .with_help("`suggest watch --json` needs none")
}
