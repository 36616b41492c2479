//! What a change costs with every cap full: `cargo bench -p suggest-store`.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use suggest_core::{CardManager, NewCard, Turn};
use suggest_store::CardStore;

fn main() {
    divan::main();
}

/// 300 open cards of 100 sessions, and 10,000 dismissals.
fn fill(manager: &mut CardManager) {
    for number in 0..10_000_u64 {
        let id = manager.offer(&format!("old-{}", number % 500), vec![card(number)], 0).added.remove(0);
        manager.dismiss(&id, 0).unwrap();
    }
    for session in 0..100_u64 {
        let cards = (0..3).map(|number| card(20_000 + session * 3 + number)).collect();
        manager.offer(&format!("session-{session}"), cards, 0);
    }
}

fn card(number: u64) -> NewCard {
    NewCard::new(
        format!("Cover item_{number}"),
        "The last turn changed it and touched no test, so nobody knows whether it holds.",
        format!("Add a test for item_{number} in src/module_{number}.rs that covers the empty case."),
    )
    .about_files(vec![format!("src/module_{number}.rs")])
    .written_by(suggest_core::CardOrigin::Local, Turn::new(1))
}

fn full() -> (tempfile::TempDir, CardStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = CardStore::open(folder.path().join("suggestions.json")).unwrap();
    store.change(|manager, _| fill(manager)).unwrap();
    (folder, store)
}

#[divan::bench]
fn a_change_until_a_hundred_subscribers_have_it(bencher: divan::Bencher) {
    let (_folder, store) = full();
    let mut subscribers: Vec<_> = (0..100).map(|_| store.subscribe()).collect();
    let mut turn = 1;
    bencher.bench_local(|| {
        turn += 1;
        store.change(|manager, now| manager.turn_completed("session-7", Turn::new(turn), &[], now)).unwrap();
        store.change(|manager, now| manager.offer("session-7", vec![card(turn)], now)).unwrap();
        subscribers.iter_mut().map(|subscriber| subscriber.borrow_and_update().cards.len()).sum::<usize>()
    });
}

#[divan::bench]
fn opening_a_full_store(bencher: divan::Bencher) {
    let (folder, store) = full();
    drop(store);
    let path = folder.path().join("suggestions.json");
    bencher.bench_local(|| CardStore::open(&path).unwrap());
}
