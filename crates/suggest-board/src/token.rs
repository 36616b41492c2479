//! The token that opens the board, and where it is kept.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The fewest characters of a token.
const FEWEST: usize = 32;
/// The most; a longer file is no token.
const MOST: u64 = 512;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read or made.
    #[error("{} could not be used for the token: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// What the file holds is too short, too long, or has other characters.
    #[error("{} holds no token: write one line of {FEWEST} to {MOST} letters, digits, `-`, `.`, `_` or `~` there", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
    },
    /// Others may read the file.
    #[error("{} may be read by others; allow only its owner (chmod 600)", path.display())]
    Shared {
        /// The file.
        path: PathBuf,
    },
    /// The system has no random numbers.
    #[error("the system gives no random numbers for a token")]
    Random,
}

/// A secret that opens the API. It is never printed; `Debug` hides it (rule P4).
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one from the system's random numbers: 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`TokenError::Random`].
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|_| TokenError::Random)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token that a file holds.
    ///
    /// # Errors
    /// When the file cannot be read, when others may read it, or when it holds no token.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let failed = |source| TokenError::File { path: path.to_owned(), source };
        let file = fs::File::open(path).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let facts = file.metadata().map_err(failed)?;
            if facts.is_file() && facts.permissions().mode() & 0o077 != 0 {
                return Err(TokenError::Shared { path: path.to_owned() });
            }
        }
        let mut text = String::new();
        file.take(MOST + 1).read_to_string(&mut text).map_err(failed)?;
        let token = text.trim();
        let fits = token.len() >= FEWEST
            && u64::try_from(text.len()).is_ok_and(|length| length <= MOST)
            && token
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'));
        if fits { Ok(Self(token.to_owned())) } else { Err(TokenError::Unfit { path: path.to_owned() }) }
    }

    /// The token that a file holds; where there is no file, a new one is written there, readable by its owner alone. So
    /// a page that is open survives a restart of the server.
    ///
    /// # Errors
    /// As for [`Token::read`], and when the file cannot be written.
    pub fn read_or_make(path: &Path) -> Result<Self, TokenError> {
        match Self::read(path) {
            Err(TokenError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        let failed = |source| TokenError::File { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let token = Self::random()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(path) {
            Ok(mut file) => {
                file.write_all(format!("{}\n", token.0).as_bytes()).map_err(failed)?;
                Ok(token)
            }
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::read(path),
            Err(error) => Err(failed(error)),
        }
    }

    /// The secret itself, for whoever must send it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time does not tell where the first difference is.
    pub(crate) fn is(&self, other: &str) -> bool {
        same(&self.0, other)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Compares two secrets in a time that depends on their lengths alone.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0_u8, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_token_is_found_again_and_is_its_owners_alone_p4() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/token");
        let made = Token::read_or_make(&path).unwrap();
        assert_eq!(Token::read_or_make(&path).unwrap(), made);
        assert!(made.is(made.reveal()));
        assert!(!made.is(""));
        assert_eq!(format!("{made:?}"), "Token(…)");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Token::read(&path), Err(TokenError::Shared { .. })));
        }
    }

    #[test]
    fn short_strange_and_endless_files_are_no_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for unfit in ["", "short", &format!("{} {}", "a".repeat(20), "b".repeat(20)), &"x".repeat(600)] {
            fs::write(&path, unfit).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            }
            assert!(matches!(Token::read(&path), Err(TokenError::Unfit { .. })), "{unfit:?}");
        }
    }
}
