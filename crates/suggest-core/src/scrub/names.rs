//! What the name in front of a value says about the value.

/// How a name speaks of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Any literal is a secret, however short.
    Password,
    /// A random-looking value is a secret.
    Token,
    /// Only a long and very random value is one.
    Weak,
    /// An Authorization header.
    Authorization,
    /// A Cookie header.
    Cookie,
    AwsSecret,
    Azure,
}

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode"];
const SHORT_PASSWORDS: &[&str] = &["pwd", "pass", "psw", "pw"];
const TOKENS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
];
const SHORT_TOKENS: &[&str] = &["jwt", "pat", "mnemonic", "otp", "credential"];
/// Words that make a following `key` a secret.
const KEY_KINDS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "auth",
    "signing",
    "encryption",
    "master",
    "client",
    "service",
    "webhook",
    "deploy",
    "ssh",
    "gpg",
    "encrypt",
    "jwt",
    "session",
    "admin",
    "storage",
    "functions",
    "subscription",
    "license",
    "app",
    "application",
    "openai",
    "anthropic",
    "deepseek",
    "gemini",
    "google",
    "groq",
    "mistral",
    "openrouter",
    "stripe",
    "sendgrid",
    "aws",
    "azure",
    "hmac",
    "cipher",
    "aes",
    "integration",
    "writer",
    "write",
    "root",
    "role",
];
/// Words behind the telling one that only say which of several values it is.
const TRAILERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "live",
    "old",
    "new",
    "local",
    "backup",
    "base64",
    "b64",
    "value",
    "default",
    "current",
    "previous",
    "primary",
    "secondary",
    "v1",
    "v2",
    "v3",
    "main",
    "hash",
    "base",
];

/// Most words of a name that are looked at.
const MOST_WORDS: usize = 12;

/// What the name says; `None` when it says nothing of secrets.
pub(super) fn classify(name: &[u8]) -> Option<Name> {
    let words = words_of(name);
    let mut words = words.as_slice();
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && (TRAILERS.contains(&last.as_str()) || last.bytes().all(|byte| byte.is_ascii_digit()))
    {
        words = rest;
    }
    let [earlier @ .., last] = words else { return None };
    let previous = earlier.last().map_or("", String::as_str);
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let pair = (previous, last);
    match pair {
        (_, "authorization") => return Some(Name::Authorization),
        ("" | "set" | "http", "cookie") => return Some(Name::Cookie),
        ("account" | "shared" | "access", "key") if name_is_azure(earlier) => return Some(Name::Azure),
        ("public" | "foreign", _) if last == "key" => return None,
        (_, "accountkey" | "sharedaccesskey" | "sharedaccesssignature") => return Some(Name::Azure),
        _ => {}
    }
    if earlier.iter().any(|word| word == "amz") && matches!(last, "signature" | "credential") {
        return Some(Name::Token);
    }
    let aws = earlier.iter().any(|word| word == "aws");
    let secret_access_key = earlier.ends_with(&["secret".to_owned(), "access".to_owned()]) && last == "key";
    if secret_access_key
        || aws && (previous == "secret" && last == "key" || last == "token" || last == "secret")
    {
        return Some(Name::AwsSecret);
    }
    if PASSWORDS.iter().any(|word| last.ends_with(word)) || SHORT_PASSWORDS.contains(&last) {
        return Some(Name::Password);
    }
    if last == "phrase" && (previous == "seed" || previous == "pass") || pair == ("seed", "words") {
        return Some(Name::Password);
    }
    if TOKENS.iter().any(|word| last.ends_with(word)) || SHORT_TOKENS.contains(&last) {
        return Some(Name::Token);
    }
    let key_id = last == "id" && previous == "key" && earlier.iter().any(|word| word == "private");
    if last == "key" && KEY_KINDS.contains(&previous) || key_id {
        return Some(Name::Token);
    }
    match last {
        "key" | "auth" | "sessionid" | "sessid" | "phpsessid" | "jsessionid" | "sid" | "cookie"
        | "signature" | "sig" | "credentials" | "csrf" | "xsrf" | "salt" | "bearer" | "nonce" | "creds" => {
            Some(Name::Weak)
        }
        _ => None,
    }
}

fn name_is_azure(earlier: &[String]) -> bool {
    matches!(earlier, [.., word] if word == "account")
        || matches!(earlier, [.., first, second] if first == "shared" && second == "access")
}

/// The words of a name in lower case: parts between marks, and parts in camel case.
fn words_of(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous = 0_u8;
    for (place, byte) in name.iter().enumerate() {
        let following = name.get(place + 1).copied().unwrap_or(0);
        let hump = byte.is_ascii_uppercase()
            && (previous.is_ascii_lowercase()
                || previous.is_ascii_uppercase() && following.is_ascii_lowercase());
        if (hump || !byte.is_ascii_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if byte.is_ascii_alphanumeric() {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        previous = *byte;
    }
    if !word.is_empty() {
        words.push(word);
    }
    let surplus = words.len().saturating_sub(MOST_WORDS);
    words.drain(..surplus);
    words
}

/// Whether the name holds the beginning of a telling word: a quick look before [`classify`].
pub(super) fn may_tell(name: &[u8]) -> bool {
    name.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        matches!(
            (first.to_ascii_lowercase(), second.to_ascii_lowercase()),
            // pass, pwd, psw, pw, pat; phrase; secret, seed, session; token; key; auth; cookie; credential, creds;
            (b'p', b'a' | b'w' | b's' | b'h')
                | (b's', b'e' | b'i' | b'a')
                | (b't', b'o')
                | (b'k', b'e')
                | (b'a', b'u')
                | (b'c', b'o' | b'r' | b's')
                // jwt; mnemonic; otp; xsrf; bearer; nonce.
                | (b'j', b'w')
                | (b'm', b'n')
                | (b'o', b't')
                | (b'x', b's')
                | (b'b', b'e')
                | (b'n', b'o')
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_by_their_last_words() {
        for (name, expected) in [
            ("DB_PASSWORD", Some(Name::Password)),
            ("dbPassword2", Some(Name::Password)),
            ("PGPASS", None),
            ("userPass", Some(Name::Password)),
            ("POSTGRES_PASSWORD_PROD", Some(Name::Password)),
            ("OPENAI_API_KEY", Some(Name::Token)),
            ("openaiApiKey", Some(Name::Token)),
            ("x-api-key", Some(Name::Token)),
            ("APIKey", Some(Name::Token)),
            ("clientSecret", Some(Name::Token)),
            ("aws_secret_access_key", Some(Name::AwsSecret)),
            ("SecretAccessKey", Some(Name::AwsSecret)),
            ("AccountKey", Some(Name::Azure)),
            ("SharedAccessKey", Some(Name::Azure)),
            ("Authorization", Some(Name::Authorization)),
            ("Set-Cookie", Some(Name::Cookie)),
            ("cache_key", Some(Name::Weak)),
            ("public_key", None),
            ("max_tokens", None),
            ("tokenizer", None),
            ("token_type", None),
            ("keyboard", None),
            ("author", None),
        ] {
            assert_eq!(classify(name.as_bytes()), expected, "{name}");
        }
    }
}
