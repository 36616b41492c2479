//! Names of secrets in other languages, and the full-width signs that assign to them.

use super::names::Name;
use super::shape::{at, before, starts_with};

/// What a name in another language says; lower case. Their plurals and compounds that end otherwise say nothing.
const NAMES: &[(&str, Name)] = &[
    ("密码", Name::Password),
    ("密碼", Name::Password),
    ("口令", Name::Password),
    ("パスワード", Name::Password),
    ("暗証番号", Name::Password),
    ("비밀번호", Name::Password),
    ("암호", Name::Password),
    ("пароль", Name::Password),
    ("passwort", Name::Password),
    ("kennwort", Name::Password),
    ("contraseña", Name::Password),
    ("contrasena", Name::Password),
    ("mot de passe", Name::Password),
    ("mdp", Name::Password),
    ("senha", Name::Password),
    ("wachtwoord", Name::Password),
    ("lösenord", Name::Password),
    ("hasło", Name::Password),
    ("şifre", Name::Password),
    ("密钥", Name::Token),
    ("秘钥", Name::Token),
    ("金鑰", Name::Token),
    ("令牌", Name::Token),
    ("apiキー", Name::Token),
    ("api-schlüssel", Name::Token),
    ("clé api", Name::Token),
    ("clave api", Name::Token),
    ("토큰", Name::Token),
    ("токен", Name::Token),
];

/// The last two bytes of the names that end in an ASCII letter.
const ENDINGS: &[[u8; 2]] = &[
    *b"rt",
    [0xb1, b'a'],
    [0x91, b'a'],
    [0x82, b'o'],
    *b"na",
    *b"se",
    *b"dp",
    *b"ha",
    *b"rd",
    *b"re",
    *b"pi",
    *b"el",
];

/// Words that stand between a name and its value in a sentence.
pub(super) const TELLING: &[&str] = &["ist ", "es ", "est ", "是", "为", "為", "は"];

/// Full-width signs: equals and colon.
const SIGNS: &[(&str, u8)] = &[("＝", b'='), ("：", b':')];

/// First bytes of the full-width signs.
pub(super) const SIGN_LEAD: u8 = 0xef;

/// The sign at `place`: as its ASCII kin, and its length.
pub(super) fn sign_at(bytes: &[u8], place: usize) -> Option<(u8, usize)> {
    match at(bytes, place) {
        sign @ (b'=' | b':') => Some((sign, 1)),
        SIGN_LEAD => SIGNS
            .iter()
            .find(|(text, _)| starts_with(bytes, place, text.as_bytes()))
            .map(|(text, sign)| (*sign, text.len())),
        _ => None,
    }
}

/// What the name that ends at `end` says, and where it starts; blanks and marks around it do not count.
pub(super) fn name_before(bytes: &[u8], end: usize) -> Option<(usize, Name)> {
    let mut end = end;
    end -= (1..=8).take_while(|back| matches!(before(bytes, end, *back), b' ' | b'\t')).count();
    end -= (1..=4)
        .take_while(|back| matches!(before(bytes, end, *back), b'"' | b'\'' | b'`' | b']' | b'\\' | b'*'))
        .count();
    // Two looks tell for nearly every sign that no such name stands before it.
    let [second, last] = [2, 1].map(|back| before(bytes, end, back).to_ascii_lowercase());
    if last.is_ascii() && !ENDINGS.contains(&[second, last]) {
        return None;
    }
    NAMES.iter().find_map(|(name, says)| {
        let name = name.as_bytes();
        let start = end.checked_sub(name.len())?;
        let near = name.last() == Some(&last) || !last.is_ascii();
        let fits = near && ends_with_folded(bytes.get(start..end)?, name);
        // Words of letters must not be the end of a longer one, unless of a compound in the same script.
        let whole = !name.first().is_some_and(u8::is_ascii_alphabetic)
            || name.len() > 4
            || !before(bytes, start, 1).is_ascii_alphabetic();
        (fits && whole).then_some((start, *says))
    })
}

/// Equal without regard to the case of ASCII letters and of the few others in the table.
fn ends_with_folded(text: &[u8], name: &[u8]) -> bool {
    if text.eq_ignore_ascii_case(name) {
        return true;
    }
    let Ok(text) = std::str::from_utf8(text) else { return false };
    !text.is_ascii() && text.to_lowercase().as_bytes() == name
}

/// The word at `start` that tells a value in a sentence ("ist ", "是"): its length.
pub(super) fn telling_at(bytes: &[u8], start: usize) -> Option<usize> {
    TELLING.iter().find(|word| starts_with(bytes, start, word.as_bytes())).map(|word| word.len())
}

/// Where letters of a script without spaces, or its punctuation, end an unquoted value.
pub(super) fn value_end(value: &[u8]) -> usize {
    let wide = |byte: &u8| matches!(byte, 0xe3..=0xe9 | 0xea..=0xed | 0xef);
    match value.first() {
        Some(first) if !wide(first) => value.iter().position(wide).unwrap_or(value.len()),
        _ => value.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_languages_are_known_by_their_end() {
        for (text, expected) in [
            ("Passwort", Some(Name::Password)),
            ("DB-Passwort ", Some(Name::Password)),
            ("**密码**", Some(Name::Password)),
            ("数据库密码", Some(Name::Password)),
            ("CONTRASEÑA", Some(Name::Password)),
            ("ПАРОЛЬ", Some(Name::Password)),
            ("Le mot de passe ", Some(Name::Password)),
            ("API密钥", Some(Name::Token)),
            ("tmdp", None),
            ("密", None),
            ("Wort", None),
            ("", None),
        ] {
            assert_eq!(name_before(text.as_bytes(), text.len()).map(|(_, name)| name), expected, "{text}");
        }
        for (name, says) in NAMES {
            assert_eq!(name_before(name.as_bytes(), name.len()), Some((0, *says)), "{name}");
        }
    }
}
