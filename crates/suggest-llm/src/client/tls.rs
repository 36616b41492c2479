//! A TLS configuration of our own: a library installs no process-wide provider.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// The configuration for one endpoint. Certificates are judged by the operating system. An endpoint without TLS gets a
/// configuration that trusts nobody, so that a machine without any certificates can still reach its own model server.
pub(super) fn config(https: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let mut config = if https {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier::new(provider)?))
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    }
    .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
