//! Cards to store.

use std::path::{Path, PathBuf};
use suggest_core::{CardManager, NewCard};
use suggest_store::CardStore;
use tempfile::TempDir;

pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suggestions.json");
    (folder, path)
}

pub(crate) fn open(path: &Path) -> CardStore {
    CardStore::open(path).unwrap()
}

pub(crate) fn prompt(name: &str) -> String {
    format!("Add a test for {name} in src/{name}.rs")
}

pub(crate) fn offer(store: &CardStore, session: &str, name: &str) -> String {
    let card = NewCard::new("A title", "A reason.", prompt(name));
    let offered = store.change(|cards, now| cards.offer(session, vec![card], now)).unwrap();
    offered.added[0].clone()
}

/// A store with one open, one accepted and one dismissed card.
pub(crate) fn three(path: &Path) -> CardStore {
    let store = open(path);
    offer(&store, "s1", "item_open");
    let id = offer(&store, "s1", "item_accepted");
    store.act(|cards, now| cards.accept(&id, now)).unwrap();
    let id = offer(&store, "s1", "item_dismissed");
    store.act(|cards, now| cards.dismiss(&id, now)).unwrap();
    store
}

pub(crate) fn is_whole(manager: &CardManager) -> bool {
    manager.open().count() == 1
        && manager.counts().accepted == 1
        && manager.is_dismissed(&prompt("item_dismissed"))
}

pub(crate) fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".lock"))
        .collect();
    names.sort();
    names
}
