//! Nearly equal notes are said once (rule V3).

use crate::advisor::delivered::Delivered;
use crate::state::Severity::{Blocker, Concern, Nit};

fn known(notes: &[&str]) -> Delivered {
    let mut delivered = Delivered::default();
    notes.iter().for_each(|note| delivered.remember(Concern, note));
    delivered
}

#[test]
fn f185_rewordings_are_the_same_note() {
    let delivered = known(&["The migration drops a column that the report still reads."]);
    for note in [
        "The migration drops a column that the report still reads.",
        "the MIGRATION drops a column, that the report still reads!",
        "Still: the migration drops a column that the report reads",
        "The migration drops the column that the report still reads.",
        "Ｔｈｅ migration drops a column that the report still reads",
    ] {
        assert!(delivered.holds(Concern, note), "{note}");
    }
    for note in [
        "The migration adds a column that no report ever reads.",
        "The report still reads.",
        "The parser drops a line that the ledger still needs.",
    ] {
        assert!(!delivered.holds(Concern, note), "{note}");
    }
}

#[test]
fn scripts_without_spaces_are_compared_by_pairs_of_characters() {
    let delivered = known(&["迁移脚本删除了报表仍在读取的列，请先修改报表。"]);
    assert!(delivered.holds(Concern, "迁移脚本删除了报表仍在读取的列，请先修改报表"));
    assert!(!delivered.holds(Concern, "缓存从不清空，长时间运行会耗尽内存。"));
}

#[test]
fn f182_a_higher_severity_is_said_and_a_lower_one_is_not() {
    let mut delivered = Delivered::default();
    let note = "The cache is never emptied and grows without bound.";
    for severity in [Nit, Concern, Blocker] {
        assert!(!delivered.holds(severity, note), "{severity:?}");
        delivered.remember(severity, note);
        assert!(delivered.holds(severity, note), "{severity:?}");
    }
    assert!(delivered.holds(Nit, note));
}

#[test]
fn the_memory_is_bounded() {
    let mut delivered = Delivered::default();
    for number in 0..2_000 {
        delivered.remember(Nit, &format!("note{number} word{number} other{number}"));
    }
    assert!(!delivered.holds(Nit, "note0 word0 other0"));
    assert!(delivered.holds(Nit, "note1999 word1999 other1999"));
}
