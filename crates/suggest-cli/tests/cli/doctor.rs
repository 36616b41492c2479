//! `doctor`: findings with remedies.

use crate::model::{reply, runtime, world};
use crate::support::{Run, World};
use insta::assert_snapshot;
use serde_json::{Value, json};
use suggest_testkit::http::{Exchange, ScriptedServer};

fn finding(report: &Value, check: &str) -> Value {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["check"] == check).cloned().unwrap_or_default()
}

fn models(names: &[&str]) -> Exchange {
    let list: Vec<Value> = names.iter().map(|name| json!({ "id": name })).collect();
    Exchange::json(200, &json!({ "object": "list", "data": list }))
}

fn examined(script: Vec<Exchange>) -> Run {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start(script)).unwrap();
    world(&server).with("ACME_KEY", "sk-canary-0123456789").run(&["doctor", "--json"])
}

#[test]
fn without_a_model_all_is_well_offline() {
    assert_snapshot!("doctor-offline", World::new().run(&["doctor"]).ends_with(0));
    assert_eq!(World::new().run(&["doctor", "--json"]).ends_with(0).json()["well"], json!(true));
}

#[test]
fn a_healthy_endpoint_is_told_with_its_latency() {
    let run = examined(vec![models(&["small"]), reply("ready")]).ends_with(0);
    let report = run.json();
    assert!(finding(&report, "endpoint")["message"].as_str().unwrap().contains("answered in"), "{run}");
    assert_eq!(finding(&report, "key")["message"], json!("found in ACME_KEY"));
    assert_eq!(finding(&report, "transfer")["message"], json!("nothing leaves this machine"));
    assert_eq!(finding(&report, "list")["status"], json!("ok"));
    assert!(!run.to_string().contains("sk-canary"), "{run}");
}

#[test]
fn a_refused_key_and_an_unknown_model_are_told_with_a_remedy() {
    let echo = json!({ "error": { "message": "Incorrect API key provided: sk-canary-0123456789" } });
    let run = examined(vec![Exchange::json(401, &echo), Exchange::json(401, &echo)]).ends_with(1);
    assert!(finding(&run.json(), "endpoint")["remedy"].as_str().unwrap().contains("check the key"), "{run}");
    assert!(!run.to_string().contains("sk-canary-0123456789"), "{run}");

    let missing = json!({ "error": { "message": "no such model", "code": "model_not_found" } });
    let run = examined(vec![models(&["smal", "large"]), Exchange::json(404, &missing)]).ends_with(1);
    assert_eq!(finding(&run.json(), "list")["remedy"], json!("did you mean acme/smal?"), "{run}");
}

#[test]
fn a_parameter_that_the_endpoint_refuses_is_named_l4() {
    let refusal = json!({ "error": { "message": "Unrecognized request argument supplied: stream_options", "param": "stream_options" } });
    let run = examined(vec![models(&["small"]), Exchange::json(400, &refusal), reply("ready")]).ends_with(0);
    let parameters = finding(&run.json(), "parameters");
    assert_eq!(parameters["status"], json!("ok"), "{run}");
    assert!(parameters["message"].as_str().unwrap().contains("stream_options"), "{run}");
}

#[test]
fn an_endpoint_that_is_not_there_is_told_with_its_address() {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start([])).unwrap();
    let world = world(&server);
    drop(server);
    drop(runtime);
    let run = world.run(&["doctor", "--json"]).ends_with(1);
    let endpoint = finding(&run.json(), "endpoint");
    assert!(endpoint["message"].as_str().unwrap().contains("http://127.0.0.1:"), "{run}");
    assert!(endpoint["remedy"].as_str().unwrap().contains("whether the endpoint runs"), "{run}");
}

#[test]
fn what_is_missing_for_a_transfer_is_told_and_nothing_is_sent_p1() {
    let far = "promptModel = \"far/m\"\n[providers.far]\nbaseUrl = \"https://192.0.2.1/v1\"\nkeyEnv = \"FAR_KEY\"\n";
    assert_snapshot!("doctor-not-allowed", World::new().configured(far).run(&["doctor"]).ends_with(2));
}

#[test]
fn a_broken_configuration_is_a_finding() {
    let world = World::new().configured("promptModel = \"a/b\"\npromtMaxChars = 3\n");
    assert_snapshot!("doctor-broken-config", world.run(&["doctor"]).ends_with(2));
    assert_eq!(world.run(&["doctor", "--json"]).ends_with(2).json()["well"], json!(false));
}

#[test]
fn half_an_advisor_is_told() {
    let world = World::new().configured("[advisor]\nmodel = \"m\"\n");
    let report = world.run(&["doctor", "--json"]).ends_with(0).json();
    assert_eq!(finding(&report, "advisor")["status"], json!("warning"));
}
