//! Standard input and output without a thread between them and the runtime.
//!
//! Tokio's own standard streams hand each read and write to a thread that may block. A message then waits for two threads
//! to be woken, which on a busy machine takes longer than all that is done with it. Pipes and sockets, which is what a
//! program that starts this one gives it, can be waited for by the runtime itself; anything else is read as before.

use tokio::io::{AsyncRead, AsyncWrite};

/// Where messages come from.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Where messages go.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input. Call it inside the runtime.
pub(crate) fn input() -> Input {
    #[cfg(unix)]
    if let Some(input) = unix::input() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

/// Standard output. Call it inside the runtime. Nothing else may write to it meanwhile.
pub(crate) fn output() -> Output {
    #[cfg(unix)]
    if let Some(output) = unix::output() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use super::{Input, Output};
    use std::fs::File;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::UnixStream as Socket;
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    enum Kind {
        Pipe(OwnedFd),
        Socket(Socket),
    }

    pub(super) fn input() -> Option<Input> {
        Some(match kind(std::io::stdin().as_fd().try_clone_to_owned().ok()?)? {
            Kind::Pipe(end) => Box::new(pipe::Receiver::from_owned_fd(end).ok()?),
            Kind::Socket(socket) => Box::new(stream(socket)?),
        })
    }

    pub(super) fn output() -> Option<Output> {
        Some(match kind(std::io::stdout().as_fd().try_clone_to_owned().ok()?)? {
            Kind::Pipe(end) => Box::new(pipe::Sender::from_owned_fd(end).ok()?),
            Kind::Socket(socket) => Box::new(stream(socket)?),
        })
    }

    fn kind(end: OwnedFd) -> Option<Kind> {
        let file = File::from(end);
        let kind = file.metadata().ok()?.file_type();
        let end = OwnedFd::from(file);
        if kind.is_fifo() {
            Some(Kind::Pipe(end))
        } else if kind.is_socket() {
            Some(Kind::Socket(Socket::from(end)))
        } else {
            None
        }
    }

    fn stream(socket: Socket) -> Option<UnixStream> {
        // A socket of another family has no such peer.
        socket.peer_addr().ok()?;
        socket.set_nonblocking(true).ok()?;
        UnixStream::from_std(socket).ok()
    }
}
