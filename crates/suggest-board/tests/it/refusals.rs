//! Everything that is refused, and that nothing else is.

use crate::support::{World, refused};
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

/// Speaks HTTP by hand: no client library says these things.
async fn raw(world: &World, request: &str) -> String {
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

async fn with_headers(world: &World, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = world.http.get(world.url(path)).bearer_auth(world.token.reveal());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn every_route_but_the_open_ones_needs_the_token() {
    let world = World::new().await;
    for (method, path) in suggest_board::ROUTES {
        let path = path.replace("{id}", "x");
        let ask = |token: Option<&str>| {
            let request = world.http.request(method.to_uppercase().parse().unwrap(), world.url(&path));
            match token {
                Some(token) => request.bearer_auth(token),
                None => request,
            }
            .send()
        };
        let open = matches!(path.as_str(), "/api/login" | "/api/openapi.json");
        let wrong = "0".repeat(64);
        for token in [None, Some(""), Some(wrong.as_str()), world.token.reveal().get(1..)] {
            let answer = ask(token).await.unwrap();
            assert_eq!(answer.status() == 401, !open, "{method} {path} with {token:?}");
        }
        assert_ne!(ask(Some(world.token.reveal())).await.unwrap().status(), 401, "{method} {path}");
    }
}

#[tokio::test]
async fn no_other_spelling_of_a_path_leads_around_the_token() {
    let world = World::new().await;
    for path in [
        "/%61pi/cards",
        "//api/cards",
        "/./api/cards",
        "/api//cards",
        "/API/cards",
        "/api/cards/",
        "/api/login/../cards",
        "/board.js/../api/cards",
        "/api/cards?/api/login",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", world.address);
        let answer = raw(&world, &request).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn foreign_hosts_are_refused_also_for_the_page() {
    let world = World::new().await;
    let port = world.address.port();
    for path in ["/", "/board.js", "/api/cards"] {
        for host in [
            "evil.example",
            &format!("evil.example:{port}"),
            "127.0.0.1",
            "127.0.0.1:1",
            "localhost.evil.example",
        ] {
            assert_eq!(with_headers(&world, path, &[("host", host)]).await, 421, "{path} {host}");
        }
        for host in [
            &format!("localhost:{port}"),
            &format!("[::1]:{port}"),
            "board.example",
            &format!("BOARD.example:{port}"),
        ] {
            assert_eq!(with_headers(&world, path, &[("host", host)]).await, 200, "{path} {host}");
        }
    }
    assert!(raw(&world, "GET / HTTP/1.0\r\n\r\n").await.starts_with("HTTP/1.0 421"), "no host at all");
    let two = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    );
    let answer = raw(&world, &two).await;
    assert!(answer.contains(" 421 ") || answer.contains(" 400 "), "two hosts: {answer}");
}

#[tokio::test]
async fn foreign_origins_and_cross_site_requests_are_refused() {
    let world = World::new().await;
    let own = format!("http://{}", world.address);
    for origin in ["http://evil.example", "null", "", "https://127.0.0.1", "http://127.0.0.1:1", "file://"] {
        assert_eq!(with_headers(&world, "/api/cards", &[("origin", origin)]).await, 403, "{origin:?}");
    }
    for origin in [own.as_str(), "https://board.example"] {
        assert_eq!(with_headers(&world, "/api/cards", &[("origin", origin)]).await, 200, "{origin:?}");
    }
    for site in ["cross-site", "same-site", "something"] {
        assert_eq!(with_headers(&world, "/", &[("sec-fetch-site", site)]).await, 403, "{site}");
        assert_eq!(with_headers(&world, "/api/cards", &[("sec-fetch-site", site)]).await, 403, "{site}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(with_headers(&world, "/api/cards", &[("sec-fetch-site", site)]).await, 200, "{site}");
    }
}

#[tokio::test]
async fn websockets_without_the_token_or_from_another_page_are_refused() {
    let world = World::new().await;
    let token = world.token.reveal();
    let good = format!("suggest.board.v1, bearer.{token}");
    let cases = [
        (None, None, 401),
        (Some("suggest.board.v1"), None, 401),
        (Some("suggest.board.v1, bearer.wrong"), None, 401),
        (Some(good.as_str()), Some("http://evil.example"), 403),
        (Some(good.as_str()), Some("null"), 403),
    ];
    for (protocol, origin, status) in cases {
        let mut request = format!("ws://{}/api/ws", world.address).into_client_request().unwrap();
        if let Some(protocol) = protocol {
            request.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
        }
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let error = tokio_tungstenite::connect_async(request).await.unwrap_err();
        assert_eq!(refused(error), status, "{protocol:?} {origin:?}");
    }
    // The token is no part of an address, where logs and histories would keep it.
    let request = format!("ws://{}/api/ws?token={token}", world.address).into_client_request().unwrap();
    assert_eq!(refused(tokio_tungstenite::connect_async(request).await.unwrap_err()), 401);
    assert_eq!(with_headers(&world, "/api/ws", &[]).await, 426, "no WebSocket at all");
}

#[tokio::test]
async fn a_link_is_good_once_and_leads_to_the_token() {
    let world = World::new().await;
    let login = |code: String| world.http.post(world.url("/api/login")).json(&json!({ "code": code })).send();
    for wrong in ["", "0", &"0".repeat(64)] {
        assert_eq!(login(wrong.to_owned()).await.unwrap().status(), 403);
    }
    let answer = login(world.code.clone()).await.unwrap();
    assert_eq!(answer.status(), 200);
    let value: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(value["token"], world.token.reveal());
    assert_eq!(login(world.code.clone()).await.unwrap().status(), 403, "it was used");
}

#[tokio::test]
async fn large_bodies_other_types_and_odd_shapes_are_refused_without_an_echo_p3() {
    let world = World::limited(|limits| limits.body_bytes = 10_000).await;
    let path = "/api/sessions/s1/events";
    let secret = "hunter2-hunter2";
    let large = json!({ "events": [], "name": "x".repeat(20_000) });
    assert_eq!(world.post(path, large).await.0, 413);
    // The length is not told beforehand.
    let chunks = futures_util::stream::iter((0..20).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1_000])));
    let endless = world.http.post(world.url(path)).bearer_auth(world.token.reveal());
    let endless = endless.header("content-type", "application/json").body(reqwest::Body::wrap_stream(chunks));
    assert_eq!(endless.send().await.unwrap().status(), 413);
    let plain = world.http.post(world.url(path)).bearer_auth(world.token.reveal()).body("{\"events\":[]}");
    assert_eq!(plain.send().await.unwrap().status(), 415, "what a form of another page could send");
    for odd in [
        json!([]),
        json!({}),
        json!({ "events": [], secret: 1 }),
        json!({ "events": [{ "type": secret }] }),
        json!({ "events": [{ "type": "message", "author": secret, "text": secret }] }),
        json!({ "events": vec![json!({ "type": "idle" }); 400].into_iter().chain([json!(secret)]).collect::<Vec<_>>() }),
    ] {
        let (status, answer) = world.post(path, odd).await;
        assert_eq!(status, 400);
        assert!(!answer.to_string().contains(secret), "{answer}");
    }
    assert_eq!(
        world.post(&format!("/api/sessions/{}/events", "x".repeat(201)), json!({ "events": [] })).await.0,
        400
    );
    assert_eq!(world.post("/api/sessions/a%0ab/events", json!({ "events": [] })).await.0, 400);
    let (_, sessions) = world.ask("get", "/api/sessions", None).await;
    assert_eq!(sessions["sessions"], json!([]), "a refused request opens no session");
}

#[tokio::test]
async fn every_answer_is_fenced_and_the_page_loads_nothing_from_elsewhere() {
    let world = World::new().await;
    for path in [
        "/",
        "/board.js",
        "/board.css",
        "/words.js",
        "/icon.svg",
        "/nothing",
        "/api/cards",
        "/api/openapi.json",
    ] {
        let answer = world.http.get(world.url(path)).send().await.unwrap();
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("cache-control"), "no-store");
        assert!(answer.headers().get("access-control-allow-origin").is_none());
    }
    let page = world.http.get(world.url("/")).send().await.unwrap().text().await.unwrap();
    let script_tags = page.matches("<script").count();
    assert_eq!(page.matches("src=\"/board.js\"").count(), script_tags, "no inline script");
    assert!(
        !page.contains("http://")
            && !page.contains("https://")
            && !page.contains(" style=")
            && !page.contains(" on")
    );
    assert!(!page.contains(world.token.reveal()), "whoever can reach the page has no token by that");
}

#[tokio::test]
async fn connections_beyond_the_bound_are_closed_and_slow_heads_do_not_hold_them() {
    let world = World::limited(|limits| {
        limits.connections = 3;
        limits.request = Duration::from_millis(400);
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHo").await.unwrap();
        held.push(stream);
    }
    let mut byte = [0_u8; 1];
    let mut one_more = TcpStream::connect(world.address).await.unwrap();
    let _ = one_more.write_all(b"GET / HTTP/1.1\r\n").await;
    let read = tokio::time::timeout(Duration::from_secs(5), one_more.read(&mut byte)).await;
    assert!(!matches!(read.unwrap(), Ok(1..)), "closed without an answer");
    for mut stream in held {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "a head that does not arrive ends its connection");
    }
    assert_eq!(with_headers(&world, "/api/cards", &[]).await, 200, "there is room again");
}
