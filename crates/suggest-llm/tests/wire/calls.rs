//! Deadlines, cancellation, bounds, keys: what holds for every call.

use std::time::{Duration, Instant};

use serde_json::json;
use suggest_llm::{
    Llm as _, LlmErrorKind, LlmRequest, Message, ModelId, OpenAiClient, OpenAiClientBuilder, RetryPolicy,
    TransferNeed, Voice,
};
use suggest_testkit::http::{Ending, Exchange, ScriptedServer};

const KEY: &str = "planted-K3Y";
const PROMPT: &str = "planted-PROMPT";

fn request(deadline: Duration) -> LlmRequest {
    let messages = vec![Message::system("Answer with one line."), Message::user(PROMPT)];
    LlmRequest::new(Voice::Director, ModelId::parse("scripted/m").unwrap(), messages, deadline)
}

fn builder(server: &ScriptedServer) -> OpenAiClientBuilder {
    OpenAiClient::builder(server.url("/v1?key=planted-QUERY"))
        .name("scripted")
        .key(KEY)
        .retry_policy(RetryPolicy { first_delay: Duration::from_millis(1), ..RetryPolicy::default() })
}

fn chunk(text: &str, finish: Option<&str>) -> String {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}).to_string()
}

fn long() -> Duration {
    Duration::from_secs(20)
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection_l2() {
    let hang = Exchange::events([chunk("Add", None)]).ending(Ending::Hang);
    let server = ScriptedServer::start([hang]).await.unwrap();
    let client = builder(&server).build().unwrap();
    let request = request(long());
    tokio::select! {
        _ = client.complete(&request) => panic!("a hanging call answered"),
        () = server.wait_for_requests(1) => {}
    }
    server.wait_for_client_closes(1).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_deadline_ends_a_call_in_each_phase_and_says_which_l2() {
    for (hang, phase) in [
        (Exchange::new(), "had not answered at all"),
        (
            Exchange::new().write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"),
            "sent nothing of the reply",
        ),
        (Exchange::events([chunk("Add", None)]), "still arriving"),
    ] {
        let server = ScriptedServer::start([hang.ending(Ending::Hang)]).await.unwrap();
        let client = builder(&server).build().unwrap();
        let started = Instant::now();
        let error = client.complete(&request(Duration::from_millis(300))).await.unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Timeout);
        assert!(error.message.contains("300 ms") && error.message.contains(phase), "{error}");
        assert!(started.elapsed() >= Duration::from_millis(300));
        server.wait_for_client_closes(1).await;
    }
}

#[tokio::test]
async fn keep_alives_do_not_stretch_the_deadline_l2() {
    let alive = (0..40).fold(Exchange::events([""; 0]), |exchange, _| {
        exchange.write_after(Duration::from_millis(50), ": keep-alive\n\n")
    });
    let server = ScriptedServer::start([alive]).await.unwrap();
    let client = builder(&server).build().unwrap();
    let started = Instant::now();
    let error = client.complete(&request(Duration::from_millis(250))).await.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn retries_happen_inside_the_deadline_l4() {
    let busy = Exchange::response(429, &[("retry-after", "2")], "{}");
    let server = ScriptedServer::start([busy]).await.unwrap();
    let client = builder(&server).build().unwrap();
    let error = client.complete(&request(Duration::from_secs(1))).await.unwrap_err();
    assert_eq!((error.kind, error.retry_after), (LlmErrorKind::RetryLater, Some(Duration::from_secs(2))));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_reply_over_the_bound_is_refused_and_its_connection_closed_l2() {
    let flood = (0..64).fold(Exchange::events([""; 0]), |exchange, _| {
        exchange.write(format!("data: {}\n\n", chunk(&"x".repeat(1024), None)))
    });
    let server = ScriptedServer::start([flood.ending(Ending::Hang)]).await.unwrap();
    let client = builder(&server).most_reply_bytes(16 * 1024).build().unwrap();
    let error = client.complete(&request(long())).await.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::Malformed);
    assert!(error.message.contains("larger than 16384 bytes"), "{error}");
}

#[tokio::test]
async fn an_answer_is_not_delayed_by_a_server_that_forgets_to_close() {
    let open = Exchange::events([chunk("Add a test.", Some("stop"))]).ending(Ending::Hang);
    let server = ScriptedServer::start([open]).await.unwrap();
    let started = Instant::now();
    let reply = builder(&server).build().unwrap().complete(&request(long())).await.unwrap();
    assert_eq!(reply.text, "Add a test.");
    assert!(started.elapsed() < Duration::from_secs(5));
    server.wait_for_client_closes(1).await;
}

#[tokio::test]
async fn the_key_is_not_sent_on_a_redirect_l2_p4() {
    let elsewhere = ScriptedServer::start([Exchange::json(200, &json!({}))]).await.unwrap();
    let target = elsewhere.url("/login");
    for status in [301, 302, 307, 308] {
        let redirect = Exchange::response(status, &[("location", &target)], "");
        let server = ScriptedServer::start([redirect]).await.unwrap();
        let error = builder(&server).build().unwrap().complete(&request(long())).await.unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Malformed);
        assert_eq!(server.requests().first().unwrap().header("authorization"), Some("Bearer planted-K3Y"));
    }
    assert_eq!(elsewhere.requests(), []);
}

#[tokio::test]
async fn neither_key_nor_prompt_nor_query_nor_reply_stands_in_an_error_p3_p4() {
    let echo = format!("bad request by {KEY}: {PROMPT}");
    let exchanges = || {
        vec![
            Exchange::json(400, &json!({"error": {"message": echo, "code": PROMPT, "param": KEY}})),
            Exchange::json(401, &json!({"error": echo})),
            Exchange::json(402, &json!({"error": echo})),
            Exchange::json(404, &json!({"detail": echo})),
            Exchange::json(
                422,
                &json!({"detail": [{"loc": ["body", "messages"], "msg": echo, "input": PROMPT}]}),
            ),
            Exchange::response(400, &[("content-type", "text/plain")], &echo),
            Exchange::response(200, &[("content-type", "text/html")], format!("<title>{echo}</title>")),
            Exchange::events([chunk(&echo, None)]),
            Exchange::events([json!({"error": {"message": echo, "code": 400}}).to_string()]),
            Exchange::response(200, &[("content-length", "9999")], &echo),
            Exchange::new(),
        ]
    };
    for exchange in exchanges() {
        let server = ScriptedServer::start([exchange.clone()]).await.unwrap();
        let client = builder(&server).retry_policy(RetryPolicy::never()).build().unwrap();
        let error = client.complete(&request(long())).await.unwrap_err();
        let shown = format!("{error} {error:?} {client:?}");
        for secret in [KEY, PROMPT, "planted-QUERY"] {
            assert!(!shown.contains(secret), "{secret} in {shown} for {exchange:?}");
        }
        assert!(!error.endpoint_text().unwrap_or_default().contains(KEY), "{exchange:?}");
    }
    let down = OpenAiClient::builder("http://127.0.0.1:9/v1?key=planted-QUERY").key(KEY);
    let client = down.retry_policy(RetryPolicy::never()).build().unwrap();
    let error = client.complete(&request(long())).await.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::Network);
    assert!(!format!("{error} {error:?}").contains("planted"), "{error:?}");
}

#[tokio::test]
async fn the_unchanging_part_is_byte_identical_from_call_to_call_l7() {
    let reply = || Exchange::events([chunk("Add a test.", Some("stop"))]);
    let server = ScriptedServer::start([reply(), reply()]).await.unwrap();
    let client = builder(&server).build().unwrap();
    for volatile in ["volatile-1", "volatile-2"] {
        let mut request = request(long());
        request.messages.push(Message::user(volatile));
        client.complete(&request).await.unwrap();
    }
    let bodies: Vec<String> =
        server.requests().into_iter().map(|request| String::from_utf8(request.body).unwrap()).collect();
    let shared = |body: &String| body.split("volatile").next().unwrap().to_owned();
    let prefixes: Vec<String> = bodies.iter().map(shared).collect();
    assert_eq!(prefixes.first(), prefixes.last());
    assert!(prefixes.first().unwrap().contains(PROMPT));
}

#[tokio::test]
async fn only_loopback_is_exempt_from_the_opt_in_p1() {
    let need = |url: &str| OpenAiClient::builder(url).build().unwrap().needs_transfer_opt_in();
    assert_eq!(need("http://localhost:11434"), TransferNeed::Loopback);
    assert_eq!(need("http://[::1]:11434"), TransferNeed::Loopback);
    assert_eq!(need("https://api.example.com"), TransferNeed::Network);
    assert_eq!(need("http://10.0.0.1"), TransferNeed::Network);
}

#[tokio::test]
async fn a_probe_tells_models_latency_and_what_was_adapted() {
    let refusal = json!({"error": {"message": "Unrecognized request argument supplied: stream_options"}});
    let models = json!({"object": "list", "data": [{"id": "other"}, {"id": "m"}]});
    let server = ScriptedServer::start([
        Exchange::json(200, &models),
        Exchange::json(400, &refusal),
        Exchange::events([chunk("ready", Some("stop"))]),
    ])
    .await
    .unwrap();
    let model = ModelId::parse("scripted/m").unwrap();
    let report = builder(&server).build().unwrap().probe(&model, long()).await;
    assert_eq!(report.lists(&model), Some(true));
    assert!(report.completion.as_ref().is_ok_and(|completion| completion.has_text), "{report:?}");
    assert_eq!(report.adapted, ["stream_options not sent"]);
    assert_eq!(report.address, server.url("/v1/chat/completions"));
    assert_eq!(server.requests().first().unwrap().target, "/v1/models?key=planted-QUERY");
}

#[tokio::test]
async fn a_probe_of_an_endpoint_without_a_list_still_asks() {
    let server = ScriptedServer::start([
        Exchange::json(404, &json!({"detail": "Not Found"})),
        Exchange::events([chunk("ready", Some("stop"))]),
    ])
    .await
    .unwrap();
    let model = ModelId::parse("scripted/m").unwrap();
    let report = builder(&server).build().unwrap().probe(&model, long()).await;
    assert_eq!(report.lists(&model), None);
    assert!(report.completion.is_ok());
}

#[tokio::test]
async fn localhost_is_reached_without_asking_anybody_where_it_is_p1() {
    let server =
        ScriptedServer::start([Exchange::events([chunk("Add a test.", Some("stop"))])]).await.unwrap();
    let url = format!("http://LocalHost:{}/v1", server.address().port());
    let client = OpenAiClient::builder(url).build().unwrap();
    assert_eq!(client.complete(&request(long())).await.unwrap().text, "Add a test.");
}

#[tokio::test]
async fn an_endpoint_without_tls_behind_https_is_an_error_that_says_so() {
    let server = ScriptedServer::start([]).await.unwrap();
    let url = format!("https://127.0.0.1:{}/v1", server.address().port());
    // The server takes the handshake for the beginning of a request and closes when the client gives up on it.
    let client = OpenAiClient::builder(url).retry_policy(RetryPolicy::never()).build().unwrap();
    let error = client.complete(&request(Duration::from_millis(500))).await.unwrap_err();
    assert!(matches!(error.kind, LlmErrorKind::Network | LlmErrorKind::Timeout), "{error}");
}
