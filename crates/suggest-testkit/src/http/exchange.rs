use std::time::Duration;

/// What the server does with one request: bytes, each after a delay, and an ending. Every exchange has a connection of its
/// own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    pub(super) writes: Vec<(Duration, Vec<u8>)>,
    pub(super) ending: Ending,
}

/// How the server leaves a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Closes it in order.
    #[default]
    Close,
    /// Resets it: the client sees an error at once.
    Reset,
    /// Keeps it open and silent until the client closes it.
    Hang,
}

impl Exchange {
    /// An exchange that writes nothing and closes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A whole response with a length, closed in order.
    #[must_use]
    pub fn response(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut all = headers.to_vec();
        all.push(("content-length", &length));
        Self::new().write(head(status, &all)).write(body)
    }

    /// A whole JSON response.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::response(status, &[("content-type", "application/json")], body.to_string())
    }

    /// A successful event stream with these data lines; the end of the connection is its end.
    #[must_use]
    pub fn events<D: AsRef<str>>(data: impl IntoIterator<Item = D>) -> Self {
        let head = head(200, &[("content-type", "text/event-stream")]);
        data.into_iter().fold(Self::new().write(head), |exchange, data| {
            exchange.write(format!("data: {}\n\n", data.as_ref()))
        })
    }

    /// Then these bytes, at once.
    #[must_use]
    pub fn write(self, bytes: impl AsRef<[u8]>) -> Self {
        self.write_after(Duration::ZERO, bytes)
    }

    /// Then these bytes, after a delay.
    #[must_use]
    pub fn write_after(mut self, delay: Duration, bytes: impl AsRef<[u8]>) -> Self {
        self.writes.push((delay, bytes.as_ref().to_vec()));
        self
    }

    /// The same bytes, one in each write.
    #[must_use]
    pub fn bytewise(mut self) -> Self {
        let split = |(delay, bytes): (Duration, Vec<u8>)| {
            bytes
                .into_iter()
                .enumerate()
                .map(move |(index, byte)| (if index == 0 { delay } else { Duration::ZERO }, vec![byte]))
        };
        self.writes = self.writes.into_iter().flat_map(split).collect();
        self
    }

    /// The same exchange with another ending.
    #[must_use]
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }
}

/// Status line and headers, `connection: close` among them.
pub(super) fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head
}
