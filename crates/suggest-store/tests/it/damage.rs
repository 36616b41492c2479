use crate::support::{folder, is_whole, names, offer, open, prompt, three};
use std::fs;
use suggest_core::CardError;
use suggest_store::{ActError, CardStore, StoreFileError};

#[test]
fn everything_is_there_after_a_restart() {
    let (_folder, path) = folder();
    drop(three(&path));
    let store = open(&path);
    assert!(store.read(is_whole));
    assert!(store.take_warnings().is_empty());
}

#[test]
fn a_file_that_is_cut_at_any_byte_is_set_aside_whole_and_nothing_is_overwritten_f176() {
    let (_source, path) = folder();
    drop(three(&path));
    let whole = fs::read(&path).unwrap();
    let (folder, path) = folder();
    // Without the last line break alone it is whole.
    for cut in 0..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        let store = open(&path);
        let warnings = store.take_warnings();
        assert_eq!(warnings.len(), 1, "cut at {cut}");
        let kept = warnings[0].set_aside.clone().unwrap();
        assert_eq!(fs::read(&kept).unwrap(), &whole[..cut], "cut at {cut}");
        assert!(!path.exists(), "nothing is written before there is something to write");
        fs::remove_file(kept).unwrap();
    }
    let store = open(&path);
    offer(&store, "s1", "item_new");
    assert_eq!(names(&folder), ["suggestions.json"]);
}

#[test]
fn a_second_damaged_file_gets_a_name_of_its_own() {
    let (folder, path) = folder();
    for _ in 0..2 {
        fs::write(&path, "{").unwrap();
        assert_eq!(open(&path).take_warnings().len(), 1);
    }
    offer(&open(&path), "s1", "item_new");
    assert_eq!(
        names(&folder),
        ["suggestions.json", "suggestions.json.set-aside-1", "suggestions.json.set-aside-2"]
    );
}

#[test]
fn a_file_of_a_newer_version_is_set_aside_and_the_warning_says_so_f176() {
    let (_folder, path) = folder();
    let newer = r#"{"version":2,"cards":{"everything":"is different"}}"#;
    fs::write(&path, newer).unwrap();
    let store = open(&path);
    let warning = store.take_warnings().remove(0);
    assert!(warning.to_string().contains("newer version"), "{warning}");
    offer(&store, "s1", "item_new");
    assert_eq!(fs::read_to_string(warning.set_aside.unwrap()).unwrap(), newer);
}

#[test]
fn a_file_of_fifty_megabytes_is_set_aside_unread_f176() {
    let (_folder, path) = folder();
    let file = fs::File::create(&path).unwrap();
    file.set_len(50 * 1024 * 1024).unwrap();
    let store = open(&path);
    let warning = store.take_warnings().remove(0);
    assert!(warning.to_string().contains("too large (50 MiB"), "{warning}");
    offer(&store, "s1", "item_new");
    assert_eq!(fs::metadata(warning.set_aside.unwrap()).unwrap().len(), 50 * 1024 * 1024);
}

#[test]
fn unknown_fields_survive_a_change_f176() {
    let (_folder, path) = folder();
    drop(three(&path));
    let mut document: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    document["theme"] = "dark".into();
    document["cards"][0]["mood"] = "good".into();
    document["cards"].as_array_mut().unwrap().push(serde_json::json!({"id": "of another shape"}));
    fs::write(&path, document.to_string()).unwrap();
    let store = open(&path);
    assert!(store.take_warnings().is_empty());
    offer(&store, "s2", "item_new");
    let after: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(after["theme"], "dark");
    assert_eq!(after["cards"][0]["mood"], "good");
    assert!(after["cards"].as_array().unwrap().iter().any(|card| card["id"] == "of another shape"));
}

#[test]
fn a_file_that_breaks_under_a_running_store_costs_nothing() {
    let (_folder, path) = folder();
    let store = three(&path);
    fs::write(&path, "{\"version\":1,").unwrap();
    offer(&store, "s2", "item_new");
    assert_eq!(store.take_warnings().len(), 1);
    let again = open(&path);
    assert_eq!(again.read(|cards| cards.open().count()), 2);
    assert!(again.read(|cards| cards.is_dismissed(&prompt("item_dismissed"))));
}

#[test]
fn a_look_for_news_is_enough_to_write_a_file_that_broke_anew_c6() {
    let (_folder, path) = folder();
    let store = three(&path);
    fs::write(&path, "{\"version\":1,").unwrap();
    store.refresh().unwrap();
    assert_eq!(store.take_warnings().len(), 1);
    // Whoever opens it now needs nothing of the process that had it in memory.
    let other = open(&path);
    assert!(other.take_warnings().is_empty());
    assert!(other.read(is_whole));
}

#[test]
fn a_file_that_somebody_removes_comes_back_whole() {
    let (_folder, path) = folder();
    let store = three(&path);
    fs::remove_file(&path).unwrap();
    offer(&store, "s2", "item_new");
    assert!(open(&path).read(|cards| cards.is_dismissed(&prompt("item_dismissed"))));
}

#[test]
fn a_refused_act_changes_nothing_and_says_why_c8() {
    let (_folder, path) = folder();
    let store = three(&path);
    let before = fs::read(&path).unwrap();
    let refused = store.act(|cards, now| cards.accept("nope", now));
    assert!(matches!(refused, Err(ActError::Refused(CardError::Unknown { .. }))));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_reported_and_the_store_can_still_be_read() {
    // Nobody can make a file there, not even the superuser, whom read-only folders do not stop.
    let store = CardStore::open("/proc/suggestions.json").unwrap();
    assert_eq!(store.read(|cards| cards.open().count()), 0);
    let error = store.change(|cards, now| cards.dismiss_all(None, now)).unwrap_err();
    assert!(error.to_string().starts_with("/proc/suggestions.json "), "{error}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_reported_and_its_cards_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path) = folder();
    drop(three(&path));
    let before = fs::read(&path).unwrap();
    fs::remove_file(path.with_file_name("suggestions.json.lock")).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let allowed_all_the_same = fs::write(folder.path().join("probe"), "").is_ok();
    let store = open(&path);
    assert!(store.read(is_whole));
    if !allowed_all_the_same {
        let error = store.change(|cards, now| cards.dismiss_all(None, now)).unwrap_err();
        assert!(matches!(error, StoreFileError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().contains("read-only"), "{error}");
        assert!(store.read(is_whole), "memory is as the file is");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn what_cannot_be_kept_is_said_until_it_can_and_is_tried_again_c6() {
    let (_folder, path) = folder();
    let store = three(&path);
    let mut snapshots = store.subscribe();
    let before = snapshots.borrow_and_update().seq;
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    fs::create_dir_all(path.join("in-the-way")).unwrap();
    assert!(store.change(|cards, now| cards.dismiss_all(None, now)).is_err());
    assert!(store.failing().is_some());
    assert!(store.refresh().is_err(), "it is tried again");
    assert!(store.read(is_whole), "it did not happen");
    assert_eq!(snapshots.borrow_and_update().seq, before, "and nobody was told of it");
    fs::remove_dir_all(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    store.refresh().unwrap();
    assert_eq!(store.failing(), None);
    assert!(open(&path).read(is_whole));
}

#[test]
fn looking_for_news_where_there_are_none_waits_for_nobody() {
    let (_folder, path) = folder();
    let store = three(&path);
    let lock = fs::File::open(path.with_file_name("suggestions.json.lock")).unwrap();
    lock.lock().unwrap();
    assert!(!store.refresh().unwrap());
    drop(lock);
    offer(&open(&path), "s2", "item_new");
    assert!(store.refresh().unwrap());
    assert_eq!(store.read(|cards| cards.open().count()), 2);
}

#[cfg(unix)]
#[test]
fn the_lock_is_the_persons_alone_also_one_of_an_earlier_version() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, path) = folder();
    let lock = path.with_file_name("suggestions.json.lock");
    fs::write(&lock, "").unwrap();
    fs::set_permissions(&lock, fs::Permissions::from_mode(0o644)).unwrap();
    drop(three(&path));
    for file in [&path, &lock] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
}

#[test]
fn snapshots_rise_and_a_late_or_slow_subscriber_has_the_newest_c7() {
    let (_folder, path) = folder();
    let store = open(&path);
    let mut early = store.subscribe();
    let mut last = early.borrow_and_update().seq;
    for number in 0..5 {
        offer(&store, "s1", &format!("item_{number}"));
        let seq = early.borrow_and_update().seq;
        assert!(seq > last);
        last = seq;
    }
    let mut late = store.subscribe();
    assert_eq!(late.borrow_and_update().seq, last);
    assert_eq!(late.borrow().cards.len(), 3);
}
