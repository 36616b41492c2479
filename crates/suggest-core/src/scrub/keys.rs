//! Rule table: secrets that give themselves away by a published prefix.

use super::families::Family;
use super::shape::Alphabet;

/// What the characters behind the prefix must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Long enough is enough.
    Any,
    /// Must hold a digit or an upper-case letter: words joined by dashes stay.
    Mixed,
    /// Must hold both letters and digits.
    LettersAndDigits,
    /// One unbroken part of at least 16 characters: `sk-` also begins names in kebab case.
    LongPart,
    /// Exactly this many characters.
    Exactly(usize),
    /// At least two parts of 16 characters, joined by a dot.
    TwoParts,
}

/// A secret known by its prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyRule {
    pub(super) prefix: &'static str,
    pub(super) family: Family,
    pub(super) alphabet: Alphabet,
    /// Fewest characters behind the prefix.
    pub(super) least: usize,
    /// Usual number of characters behind the prefix; 0 when it varies. Tells how a key broken over two
    /// lines goes on.
    pub(super) usual: usize,
    pub(super) body: Body,
    /// Recognised in the middle of a word too: the prefix occurs in no other word.
    pub(super) glued: bool,
}

const fn rule(prefix: &'static str, family: Family, alphabet: Alphabet, least: usize, body: Body) -> KeyRule {
    KeyRule { prefix, family, alphabet, least, usual: 0, body, glued: false }
}

const fn fixed(
    prefix: &'static str,
    family: Family,
    alphabet: Alphabet,
    usual: usize,
    body: Body,
) -> KeyRule {
    KeyRule { prefix, family, alphabet, least: if usual < 20 { usual } else { 20 }, usual, body, glued: true }
}

const fn glued(
    prefix: &'static str,
    family: Family,
    alphabet: Alphabet,
    least: usize,
    body: Body,
) -> KeyRule {
    KeyRule { prefix, family, alphabet, least, usual: 0, body, glued: true }
}

/// Longer prefixes first where one begins another.
pub(super) const KEY_RULES: &[KeyRule] = &[
    glued("sk-ant-", Family::Anthropic, Alphabet::Url, 16, Body::Mixed),
    glued("sk-or-", Family::OpenRouter, Alphabet::Url, 16, Body::LongPart),
    glued("sk-proj-", Family::OpenAi, Alphabet::Url, 16, Body::Mixed),
    glued("sk-svcacct-", Family::OpenAi, Alphabet::Url, 16, Body::Mixed),
    glued("sk-admin-", Family::OpenAi, Alphabet::Url, 16, Body::LongPart),
    rule("sk-", Family::DeepSeek, Alphabet::LowerHex, 32, Body::Exactly(32)),
    rule("sk-", Family::OpenAi, Alphabet::Url, 16, Body::LongPart),
    rule("gsk_", Family::Groq, Alphabet::Alnum, 20, Body::Mixed),
    fixed("AIza", Family::Google, Alphabet::Url, 35, Body::Mixed),
    rule("ya29.", Family::Google, Alphabet::Dotted, 20, Body::Mixed),
    glued("GOCSPX-", Family::Google, Alphabet::Url, 16, Body::Mixed),
    rule("hf_", Family::HuggingFace, Alphabet::Alnum, 20, Body::Any),
    rule("xai-", Family::XAi, Alphabet::Alnum, 20, Body::Any),
    fixed("ghp_", Family::GitHub, Alphabet::Word, 36, Body::LongPart),
    fixed("gho_", Family::GitHub, Alphabet::Word, 36, Body::LongPart),
    fixed("ghu_", Family::GitHub, Alphabet::Word, 36, Body::LongPart),
    fixed("ghs_", Family::GitHub, Alphabet::Dotted, 36, Body::LongPart),
    fixed("ghr_", Family::GitHub, Alphabet::Word, 36, Body::LongPart),
    glued("github_pat_", Family::GitHub, Alphabet::Word, 20, Body::Mixed),
    glued("glpat-", Family::GitLab, Alphabet::Dotted, 16, Body::Mixed),
    glued("gldt-", Family::GitLab, Alphabet::Url, 16, Body::Mixed),
    glued("glrt-", Family::GitLab, Alphabet::Url, 16, Body::Mixed),
    glued("glptt-", Family::GitLab, Alphabet::Url, 16, Body::Mixed),
    glued("glcbt-", Family::GitLab, Alphabet::Url, 16, Body::Mixed),
    glued("xoxb-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxp-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxa-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxr-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxs-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxo-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxc-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxd-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxe-", Family::Slack, Alphabet::Url, 10, Body::Mixed),
    glued("xoxe.", Family::Slack, Alphabet::Dotted, 10, Body::Mixed),
    glued("xapp-", Family::Slack, Alphabet::Url, 10, Body::LettersAndDigits),
    rule("AKIA", Family::AwsKeyId, Alphabet::UpperAlnum, 16, Body::Exactly(16)),
    rule("ASIA", Family::AwsKeyId, Alphabet::UpperAlnum, 16, Body::Exactly(16)),
    rule("ABIA", Family::AwsKeyId, Alphabet::UpperAlnum, 16, Body::Exactly(16)),
    rule("ACCA", Family::AwsKeyId, Alphabet::UpperAlnum, 16, Body::Exactly(16)),
    glued("sk_live_", Family::Stripe, Alphabet::Alnum, 10, Body::Any),
    glued("sk_test_", Family::Stripe, Alphabet::Alnum, 10, Body::Any),
    glued("rk_live_", Family::Stripe, Alphabet::Alnum, 10, Body::Any),
    glued("rk_test_", Family::Stripe, Alphabet::Alnum, 10, Body::Any),
    glued("whsec_", Family::Stripe, Alphabet::Alnum, 16, Body::Any),
    fixed("npm_", Family::Npm, Alphabet::Alnum, 36, Body::Any),
    rule("pypi-", Family::PyPi, Alphabet::Url, 40, Body::Mixed),
    rule("SG.", Family::SendGrid, Alphabet::Dotted, 33, Body::TwoParts),
    rule("AC", Family::Twilio, Alphabet::LowerHex, 32, Body::Exactly(32)),
    rule("SK", Family::Twilio, Alphabet::LowerHex, 32, Body::Exactly(32)),
    glued("hooks.slack.com/services/", Family::Slack, Alphabet::UrlPath, 8, Body::Any),
    glued("hooks.slack.com/workflows/", Family::Slack, Alphabet::UrlPath, 8, Body::Any),
    glued("hooks.slack.com/triggers/", Family::Slack, Alphabet::UrlPath, 8, Body::Any),
    glued("discord.com/api/webhooks/", Family::Discord, Alphabet::UrlPath, 20, Body::Any),
    glued("discordapp.com/api/webhooks/", Family::Discord, Alphabet::UrlPath, 20, Body::Any),
    glued("dop_v1_", Family::Service, Alphabet::Alnum, 20, Body::Any),
    glued("doo_v1_", Family::Service, Alphabet::Alnum, 20, Body::Any),
    glued("shpat_", Family::Service, Alphabet::Alnum, 20, Body::Any),
    glued("shpss_", Family::Service, Alphabet::Alnum, 20, Body::Any),
    glued("lin_api_", Family::Service, Alphabet::Alnum, 20, Body::Any),
    rule("ntn_", Family::Service, Alphabet::Alnum, 30, Body::Any),
    rule("figd_", Family::Service, Alphabet::Url, 20, Body::Mixed),
    rule("hvs.", Family::Service, Alphabet::Url, 20, Body::Mixed),
    rule("hvb.", Family::Service, Alphabet::Url, 20, Body::Mixed),
    rule("pplx-", Family::Service, Alphabet::Alnum, 20, Body::Any),
    rule("r8_", Family::Service, Alphabet::Alnum, 30, Body::Any),
    glued("AGE-SECRET-KEY-1", Family::Service, Alphabet::UpperAlnum, 20, Body::Any),
    rule("ATATT3", Family::Service, Alphabet::Base64, 20, Body::Any),
    rule("glsa_", Family::Service, Alphabet::Word, 20, Body::Mixed),
    rule("nvapi-", Family::Service, Alphabet::Url, 20, Body::Mixed),
    rule("tskey-", Family::Service, Alphabet::Url, 16, Body::Mixed),
    glued("rubygems_", Family::Service, Alphabet::LowerHex, 40, Body::Any),
    glued("dckr_pat_", Family::Service, Alphabet::Url, 16, Body::Mixed),
    rule("PMAK-", Family::Service, Alphabet::Url, 20, Body::Any),
    glued("sntrys_", Family::Service, Alphabet::Base64, 20, Body::Any),
    glued("lsv2_pt_", Family::Service, Alphabet::Word, 20, Body::Any),
    glued("lsv2_sk_", Family::Service, Alphabet::Word, 20, Body::Any),
    rule("tvly-", Family::Service, Alphabet::Url, 20, Body::LongPart),
    rule("sbp_", Family::Service, Alphabet::LowerHex, 40, Body::Any),
    rule("cio", Family::Service, Alphabet::Alnum, 32, Body::Exactly(32)),
    rule("dapi", Family::Service, Alphabet::LowerHex, 32, Body::Exactly(32)),
    rule("sq0atp-", Family::Service, Alphabet::Url, 20, Body::Any),
    rule("sq0csp-", Family::Service, Alphabet::Url, 20, Body::Any),
    rule("EAACEdEose0cBA", Family::Service, Alphabet::Alnum, 10, Body::Any),
];
