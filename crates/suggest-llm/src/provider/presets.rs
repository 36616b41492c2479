use crate::client::{CapField, KeyHeader};

/// What is known about a service, as data. A provider of the same name needs no configuration but its key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preset {
    /// Its name, then its other names.
    pub names: &'static [&'static str],
    /// Where it is; `None` when every customer has an address of their own.
    pub base_url: Option<&'static str>,
    /// Environment variables that hold its key, first choice first. Empty: it needs none.
    pub key_variables: &'static [&'static str],
    /// The header that carries the key.
    pub key_header: KeyHeader,
    /// The name of the output cap.
    pub cap_field: CapField,
    /// A cap that is sent although none is configured, for services that reserve or demand one (rule L5).
    pub cap: Option<u32>,
    /// Whether streams may be asked for token counts.
    pub usage_in_stream: bool,
}

const PLAIN: Preset = Preset {
    names: &[],
    base_url: None,
    key_variables: &[],
    key_header: KeyHeader::Bearer,
    cap_field: CapField::MaxTokens,
    cap: None,
    usage_in_stream: true,
};

/// A hosted service.
const fn hosted(names: &'static [&'static str], url: &'static str, keys: &'static [&'static str]) -> Preset {
    Preset { names, base_url: Some(url), key_variables: keys, ..PLAIN }
}

/// A server that people run themselves, at its usual port; a key only where they set one.
const fn own(names: &'static [&'static str], url: &'static str, keys: &'static [&'static str]) -> Preset {
    hosted(names, url, keys)
}

const PRESETS: &[Preset] = &[
    hosted(&["openai"], "https://api.openai.com/v1", &["OPENAI_API_KEY"]),
    Preset {
        names: &["azure", "azure-openai"],
        key_variables: &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
        key_header: KeyHeader::ApiKey,
        ..PLAIN
    },
    hosted(&["deepseek"], "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"]),
    Preset {
        // Without a cap it reserves credit for the longest answer that the model can give.
        cap: Some(8192),
        ..hosted(&["openrouter"], "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"])
    },
    hosted(&["groq"], "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    Preset {
        // Streams end with token counts unasked, and unknown parameters are refused.
        usage_in_stream: false,
        ..hosted(&["mistral"], "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
    },
    hosted(
        &["gemini", "google"],
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    ),
    Preset {
        // The service behind it demands a cap.
        cap: Some(8192),
        ..hosted(&["anthropic", "claude"], "https://api.anthropic.com/v1", &["ANTHROPIC_API_KEY"])
    },
    hosted(&["kimi", "moonshot"], "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY", "KIMI_API_KEY"]),
    hosted(&["kimi-cn", "moonshot-cn"], "https://api.moonshot.cn/v1", &["MOONSHOT_API_KEY", "KIMI_API_KEY"]),
    hosted(
        &["qwen", "dashscope"],
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY", "QWEN_API_KEY"],
    ),
    hosted(
        &["qwen-cn", "dashscope-cn"],
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY", "QWEN_API_KEY"],
    ),
    hosted(&["glm", "zai"], "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY", "GLM_API_KEY"]),
    hosted(
        &["bigmodel", "zhipu"],
        "https://open.bigmodel.cn/api/paas/v4",
        &["BIGMODEL_API_KEY", "ZHIPUAI_API_KEY", "ZHIPU_API_KEY", "GLM_API_KEY"],
    ),
    hosted(&["together"], "https://api.together.xyz/v1", &["TOGETHER_API_KEY"]),
    hosted(&["fireworks"], "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"]),
    hosted(&["cerebras"], "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"]),
    hosted(&["xai", "grok"], "https://api.x.ai/v1", &["XAI_API_KEY"]),
    Preset {
        usage_in_stream: false,
        ..hosted(&["perplexity"], "https://api.perplexity.ai/chat/completions", &["PERPLEXITY_API_KEY"])
    },
    hosted(&["venice"], "https://api.venice.ai/api/v1", &["VENICE_API_KEY"]),
    hosted(&["nvidia"], "https://integrate.api.nvidia.com/v1", &["NVIDIA_API_KEY"]),
    hosted(&["modelscope"], "https://api-inference.modelscope.cn/v1", &["MODELSCOPE_API_KEY"]),
    own(&["ollama"], "http://localhost:11434/v1", &[]),
    own(&["llamacpp", "llama.cpp"], "http://localhost:8080/v1", &["LLAMACPP_API_KEY"]),
    own(&["llama-cpp-python"], "http://localhost:8000/v1", &["LLAMACPP_API_KEY"]),
    own(&["vllm"], "http://localhost:8000/v1", &["VLLM_API_KEY"]),
    own(&["sglang"], "http://localhost:30000/v1", &["SGLANG_API_KEY"]),
    own(&["lmstudio", "lm-studio"], "http://localhost:1234/v1", &[]),
    own(&["litellm"], "http://localhost:4000/v1", &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"]),
];

impl Preset {
    /// Every preset.
    #[must_use]
    pub fn all() -> &'static [Self] {
        PRESETS
    }

    /// The preset with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// Its main name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::client::Endpoint;

    #[test]
    fn every_preset_is_usable_and_no_name_stands_twice() {
        let mut seen = BTreeSet::new();
        for preset in Preset::all() {
            assert!(!preset.names.is_empty());
            for name in preset.names {
                assert!(seen.insert(*name), "{name} stands twice");
                assert_eq!(Preset::named(&name.to_uppercase()), Some(preset));
            }
            if let Some(url) = preset.base_url {
                let endpoint = Endpoint::parse(url).unwrap();
                assert!(endpoint.is_loopback() || endpoint.is_https(), "{url}");
                assert!(endpoint.is_loopback() || !preset.key_variables.is_empty(), "{url}");
            }
        }
    }
}
