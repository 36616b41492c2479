//! The kinds of secret that the scrubber tells apart.

/// One kind of secret: the name that stands in its marks, and what it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretFamily {
    /// Lower-case name with dashes, as in `[secret:github-token#1]`.
    pub name: &'static str,
    /// What the family covers, in one line.
    pub description: &'static str,
}

/// A family by number. The order is the order of [`FAMILIES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Family {
    Anthropic,
    OpenAi,
    DeepSeek,
    OpenRouter,
    Groq,
    Google,
    HuggingFace,
    XAi,
    GitHub,
    GitLab,
    Slack,
    AwsKeyId,
    AwsSecret,
    Stripe,
    Npm,
    PyPi,
    SendGrid,
    Twilio,
    Telegram,
    Discord,
    Azure,
    Service,
    PrivateKey,
    Jwt,
    Authorization,
    UrlPassword,
    ConnectionPassword,
    Cookie,
    Password,
    Assigned,
}

/// Every family, in the order of [`Family`].
pub(super) const FAMILIES: &[SecretFamily] = &[
    family("anthropic-key", "Anthropic API keys (sk-ant-…)"),
    family("openai-key", "OpenAI API keys (sk-proj-…, sk-svcacct-…, and other sk-… keys)"),
    family("deepseek-key", "DeepSeek and kindred API keys (sk- and 32 hexadecimal digits)"),
    family("openrouter-key", "OpenRouter API keys (sk-or-…)"),
    family("groq-key", "Groq API keys (gsk_…)"),
    family("google-key", "Google API keys, OAuth access tokens and client secrets (AIza…, ya29.…, GOCSPX-…)"),
    family("huggingface-token", "Hugging Face tokens (hf_…)"),
    family("xai-key", "xAI API keys (xai-…)"),
    family("github-token", "GitHub tokens (ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…)"),
    family("gitlab-token", "GitLab tokens (glpat-… and its siblings)"),
    family("slack-token", "Slack tokens (xoxb-…, xapp-…) and the secret part of webhook URLs"),
    family("aws-key-id", "AWS access key ids (AKIA…, ASIA…)"),
    family("aws-secret", "AWS secret access keys and session tokens in assignments"),
    family("stripe-key", "Stripe secret and restricted keys, webhook secrets"),
    family("npm-token", "npm access tokens (npm_…)"),
    family("pypi-token", "PyPI upload tokens (pypi-…)"),
    family("sendgrid-key", "SendGrid API keys (SG.….…)"),
    family("twilio-key", "Twilio account and key ids (AC… and SK… with 32 hexadecimal digits)"),
    family("telegram-token", "Telegram bot tokens (digits, colon, 35 characters)"),
    family("discord-token", "Discord bot tokens and the secret part of webhook URLs"),
    family("azure-key", "Azure account keys, shared access keys and signatures"),
    family("service-token", "Tokens with the published prefix of another service"),
    family("private-key", "Private key blocks, whole, cut off, or with escaped newlines"),
    family("jwt", "JSON Web Tokens"),
    family("authorization", "Credentials in Authorization headers and behind Bearer"),
    family("url-password", "Passwords and tokens in the user part of URLs"),
    family("connection-password", "Passwords in database and queue connection strings"),
    family("cookie", "Values of Cookie and Set-Cookie headers"),
    family("password", "Passwords in assignments, settings and command line flags"),
    family("assigned-secret", "Random-looking values of names such as TOKEN, SECRET, API_KEY"),
];

const fn family(name: &'static str, description: &'static str) -> SecretFamily {
    SecretFamily { name, description }
}

impl Family {
    /// The name in the marks.
    pub(super) fn name(self) -> &'static str {
        FAMILIES.get(usize::from(self as u8)).map_or("secret", |family| family.name)
    }
}
