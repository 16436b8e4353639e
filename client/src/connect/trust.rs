//! Which server's certificate is trusted, by libpq's rules.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Trust in a server's certificate. That the server has the certificate's key is always proved.
#[derive(Debug)]
pub(super) struct Trust {
    /// What checks the chain; none when no CA is known, and any certificate will do.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Whether the host's name has to be in the certificate.
    name: bool,
    provider: Arc<CryptoProvider>,
}

impl Trust {
    /// Trust in what these CAs have signed.
    ///
    /// # Errors
    /// What is wrong with the CAs.
    pub(super) fn new(
        roots: Option<RootCertStore>,
        name: bool,
        provider: Arc<CryptoProvider>,
    ) -> Result<Trust, String> {
        let chain = roots
            .map(|roots| {
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                    .build()
                    .map_err(|error| error.to_string())
            })
            .transpose()?;
        Ok(Trust {
            chain,
            name,
            provider,
        })
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else {
            return Ok(ServerCertVerified::assertion());
        };
        // The chain is looked at before the name: what is said of the name says that the chain is good.
        match chain.verify_server_cert(own, others, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
