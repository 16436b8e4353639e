//! Which server's certificate is trusted, by libpq's rules.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::certificate;

/// Trust in a server's certificate. That the server has the certificate's key is always proved.
#[derive(Debug)]
pub(super) struct Trust {
    /// What checks the chain; none when no CA is known, and any certificate will do.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// The certificates of the CAs: a server may have one of them as its own.
    roots: Vec<CertificateDer<'static>>,
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
        roots: Option<(RootCertStore, Vec<CertificateDer<'static>>)>,
        name: bool,
        provider: Arc<CryptoProvider>,
    ) -> Result<Trust, String> {
        let (store, roots) = match roots {
            Some((store, roots)) => (Some(store), roots),
            None => (None, Vec::new()),
        };
        let chain = store
            .map(|roots| {
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                    .build()
                    .map_err(|error| error.to_string())
            })
            .transpose()?;
        Ok(Trust {
            chain,
            roots,
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
        let checked = match chain.verify_server_cert(own, others, name, ocsp, now) {
            // A certificate that is one of the CAs' needs no other's signature; the library has no place
            // for one that is both.
            Err(Error::InvalidCertificate(reason))
                if self.roots.iter().any(|root| root == own) && !is_of_name(&reason) =>
            {
                certificate::in_time(own, now)
                    .and_then(|()| verify_server_name(&ParsedCertificate::try_from(own)?, name))
                    .map(|()| ServerCertVerified::assertion())
            }
            checked => checked,
        };
        // The chain is looked at before the name: what is said of the name says that the chain is good.
        match checked {
            Err(Error::InvalidCertificate(reason))
                if is_of_name(&reason)
                    && (!self.name || certificate::has_common_name(own, name)) =>
            {
                Ok(ServerCertVerified::assertion())
            }
            checked => checked,
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

fn is_of_name(reason: &CertificateError) -> bool {
    matches!(
        reason,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    )
}
