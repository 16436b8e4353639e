//! TLS by rustls: which certificates are asked for and which are shown.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::ConnectError;
use super::parameters::Parameters;
use super::settings::SslMode;
use super::trust::Trust;
use crate::wire::Transport;

/// The stream of a connection under TLS.
pub type TlsStream = <MakeRustlsConnect as MakeTlsConnect<Transport>>::Stream;
/// What puts TLS over a transport, for one host.
pub(super) type Tls = <MakeRustlsConnect as MakeTlsConnect<Transport>>::TlsConnect;

/// What the protocol is called in the handshake.
const ALPN: &[u8] = b"postgresql";

/// Everything that TLS needs but for the host's name.
#[derive(Clone)]
pub(super) struct Maker {
    connect: MakeRustlsConnect,
    /// The file of CAs, for messages.
    roots: Option<PathBuf>,
}

impl Maker {
    /// # Errors
    /// A file is missing or unusable, a key is open to others, or a version is none.
    pub(super) fn new(
        parameters: &Parameters,
        mode: SslMode,
        home: Option<&Path>,
    ) -> Result<Maker, ConnectError> {
        let folder = home.map(|home| home.join(".postgresql"));
        let provider = Arc::new(ring::default_provider());
        let (roots, path) = roots(parameters, mode, folder.as_deref())?;
        let trust = Trust::new(roots, mode == SslMode::VerifyFull, Arc::clone(&provider));
        let trust = trust.map_err(|reason| {
            let path = path.as_deref().unwrap_or(Path::new("sslrootcert"));
            ConnectError::Parameter(format!(
                "cannot use the CAs in {}: {reason}",
                path.display()
            ))
        })?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&versions(parameters)?)
            .map_err(|error| ConnectError::Parameter(format!("TLS: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trust));
        let mut config = match own_certificate(parameters, folder.as_deref())? {
            Some(own) => builder
                .with_client_auth_cert(own.chain, own.key)
                .map_err(|error| {
                    ConnectError::Parameter(format!(
                        "the client certificate {} and its key {} do not go together: {error}",
                        own.cert_path.display(),
                        own.key_path.display()
                    ))
                })?,
            None => builder.with_no_client_auth(),
        };
        config.enable_sni = parameters.number("sslsni")? != Some(0);
        config.alpn_protocols = vec![ALPN.to_vec()];
        // A connection lives long: sessions to take up again are memory for nothing.
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Maker {
            connect: MakeRustlsConnect::new(config),
            roots: path,
        })
    }

    /// TLS for this host.
    pub(super) fn for_host(&self, name: &str) -> Tls {
        let mut connect = self.connect.clone();
        let made: Result<Tls, std::convert::Infallible> =
            MakeTlsConnect::<Transport>::make_tls_connect(&mut connect, name);
        match made {
            Ok(tls) => tls,
            Err(never) => match never {},
        }
    }

    /// The file with the CAs that are trusted, if one is.
    pub(super) fn roots(&self) -> Option<&Path> {
        self.roots.as_deref()
    }
}

impl fmt::Debug for Maker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Maker");
        out.field("roots", &self.roots).finish_non_exhaustive()
    }
}

/// TLS of a connection that never begins it.
pub(super) fn none() -> Tls {
    static NONE: LazyLock<Maker> = LazyLock::new(|| {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring has the cipher suites of both versions")
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        Maker {
            connect: MakeRustlsConnect::new(config),
            roots: None,
        }
    });
    NONE.for_host("localhost")
}

fn versions(
    parameters: &Parameters,
) -> Result<Vec<&'static SupportedProtocolVersion>, ConnectError> {
    let words = [("TLSv1", 0), ("TLSv1.1", 1), ("TLSv1.2", 2), ("TLSv1.3", 3)];
    let least = parameters.word("ssl_min_protocol_version", &words, 2)?;
    let most = parameters.word("ssl_max_protocol_version", &words, 3)?;
    let known = [(2, &version::TLS12), (3, &version::TLS13)];
    let chosen: Vec<_> = known
        .into_iter()
        .filter(|(number, _)| (least..=most).contains(number))
        .map(|(_, version)| version)
        .collect();
    if chosen.is_empty() {
        return Err(ConnectError::parameter(
            "ssl_min_protocol_version and ssl_max_protocol_version leave no version of TLS: this \
             client speaks TLSv1.2 and TLSv1.3",
        ));
    }
    Ok(chosen)
}

/// CAs as rustls wants them, and as they stand in their file.
type Roots = (RootCertStore, Vec<CertificateDer<'static>>);

/// The CAs, and the file that they are from; none: the server's certificate is not looked at.
fn roots(
    parameters: &Parameters,
    mode: SslMode,
    folder: Option<&Path>,
) -> Result<(Option<Roots>, Option<PathBuf>), ConnectError> {
    let mut store = RootCertStore::empty();
    let path = match parameters.text("sslrootcert") {
        Some("system") => {
            let found = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(found.certs);
            if store.is_empty() {
                return Err(ConnectError::parameter(
                    "sslrootcert=system: the system has no CA certificates (package ca-certificates)",
                ));
            }
            return Ok((Some((store, Vec::new())), None));
        }
        Some(path) => Some(PathBuf::from(path)),
        None => folder.map(|folder| folder.join("root.crt")),
    };
    let Some(path) = path.filter(|path| path.exists()) else {
        if mode < SslMode::VerifyCa {
            return Ok((None, None));
        }
        let wanted = parameters
            .text("sslrootcert")
            .unwrap_or("~/.postgresql/root.crt");
        return Err(ConnectError::Parameter(format!(
            "sslmode={} needs the CA's certificate, and there is no file {wanted}: put it there, \
             name it by sslrootcert, take the system's CAs by sslrootcert=system, or do without by \
             sslmode=require",
            mode.name()
        )));
    };
    let found = certificates(&path)?;
    for cert in &found {
        store.add(cert.clone()).map_err(|error| {
            ConnectError::Parameter(format!(
                "cannot use a certificate in {}: {error}",
                path.display()
            ))
        })?;
    }
    Ok((Some((store, found)), Some(path)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let unusable = |reason: String| {
        ConnectError::Parameter(format!(
            "cannot read certificates from {}: {reason}; expected PEM",
            path.display()
        ))
    };
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> = read.map_err(|error| unusable(pem_reason(&error)))?;
    if found.is_empty() {
        return Err(unusable("there are none".into()));
    }
    Ok(found)
}

fn pem_reason(error: &rustls::pki_types::pem::Error) -> String {
    match error {
        rustls::pki_types::pem::Error::Io(error) => error.to_string(),
        rustls::pki_types::pem::Error::NoItemsFound => "there are none".into(),
        other => other.to_string(),
    }
}

/// What this client shows of itself.
struct Own {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    cert_path: PathBuf,
    key_path: PathBuf,
}

fn own_certificate(
    parameters: &Parameters,
    folder: Option<&Path>,
) -> Result<Option<Own>, ConnectError> {
    if parameters.text("sslcertmode") == Some("disable") {
        return Ok(None);
    }
    let path = |name, usual| {
        let named = parameters.text(name).map(PathBuf::from);
        named.or_else(|| folder.map(|folder| folder.join(usual)))
    };
    let Some(cert_path) = path("sslcert", "postgresql.crt") else {
        return Ok(None);
    };
    if !cert_path.exists() {
        if parameters.text("sslcert").is_none() {
            return Ok(None);
        }
        return Err(ConnectError::Parameter(format!(
            "there is no client certificate {} (sslcert names it)",
            cert_path.display()
        )));
    }
    let Some(key_path) = path("sslkey", "postgresql.key") else {
        return Ok(None);
    };
    check_key_file(&key_path, &cert_path)?;
    let key = PrivateKeyDer::from_pem_file(&key_path).map_err(|error| {
        ConnectError::Parameter(format!(
            "cannot read the private key {}: {}; expected PEM that is not encrypted (openssl pkey \
             -in KEY -out NEWKEY decrypts it)",
            key_path.display(),
            pem_reason(&error).replace("there are none", "there is none")
        ))
    })?;
    Ok(Some(Own {
        chain: certificates(&cert_path)?,
        key,
        cert_path,
        key_path,
    }))
}

/// The rules that libpq has for a key's file.
fn check_key_file(path: &Path, cert_path: &Path) -> Result<(), ConnectError> {
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ConnectError::Parameter(format!(
            "there is a client certificate {}, but not its private key {}: name it by sslkey",
            cert_path.display(),
            path.display()
        )),
        _ => ConnectError::Parameter(format!("{}: {error}", path.display())),
    })?;
    if !metadata.is_file() {
        return Err(ConnectError::Parameter(format!(
            "the private key {} is not a plain file",
            path.display()
        )));
    }
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        return Err(ConnectError::Parameter(format!(
            "the private key {0} is open to others: run chmod 0600 {0} (0640 will do when root owns it)",
            path.display()
        )));
    }
    Ok(())
}
