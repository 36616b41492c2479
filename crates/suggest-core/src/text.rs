//! Cutting text without splitting what a person sees as one character.

use unicode_segmentation::UnicodeSegmentation;

/// The longest end of a text with at most `max` characters (Unicode scalar values), cut between grapheme clusters,
/// and how many characters were left out before it.
pub(crate) fn keep_end(text: &str, max: usize) -> (String, usize) {
    let total = text.chars().count();
    if total <= max {
        return (text.to_owned(), 0);
    }
    let mut kept = 0;
    let mut from = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        let chars = cluster.chars().count();
        if kept + chars > max {
            break;
        }
        kept += chars;
        from = at;
    }
    (text.get(from..).unwrap_or_default().to_owned(), total - kept)
}

#[cfg(test)]
mod tests {
    use super::keep_end;

    #[test]
    fn a_cut_never_splits_a_grapheme_cluster() {
        assert_eq!(keep_end("ab👨‍👩‍👧cd", 3), ("cd".to_owned(), 7));
        assert_eq!(keep_end("ab👨‍👩‍👧cd", 7), ("👨‍👩‍👧cd".to_owned(), 2));
        assert_eq!(keep_end("x\r\ny", 2), ("y".to_owned(), 3));
        assert_eq!(keep_end("漢字", 0), (String::new(), 2));
        assert_eq!(keep_end("short", 9), ("short".to_owned(), 0));
    }
}
