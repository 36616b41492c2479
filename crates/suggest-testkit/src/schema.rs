//! The JSON Schema of scenario documents.

use crate::scenario::Document;
use serde_json::Value;

/// The JSON Schema of scenario documents, so that an editor completes and checks them. It is a little wider than the
/// player: that a step does one thing, that time never falls and that sessions are known is checked when it is read.
#[must_use]
pub fn scenario_schema() -> Value {
    schemars::schema_for!(Document).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_steps_and_events() {
        let schema = scenario_schema();
        assert_eq!(schema["title"], "Scenario");
        assert_eq!(schema["required"], serde_json::json!(["steps"]));
        let definitions = schema["$defs"].as_object().unwrap();
        for name in ["ScenarioStep", "ScenarioSession", "ScenarioReply", "Event"] {
            assert!(definitions.contains_key(name), "no definition of {name}");
        }
    }
}
