//! What is read from a server's certificate beside what rustls reads.

use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, Error};
use x509_cert::Certificate;
use x509_cert::der::oid::db::rfc4519::CN;
use x509_cert::der::{Decode, asn1};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// Whether the certificate is valid now.
///
/// # Errors
/// It is not yet, not any more, or unreadable.
pub(super) fn in_time(cert: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let invalid = |reason| Err(Error::InvalidCertificate(reason));
    let Ok(read) = Certificate::from_der(cert) else {
        return invalid(CertificateError::BadEncoding);
    };
    let validity = read.tbs_certificate.validity;
    let now = now.as_secs();
    if now < validity.not_before.to_unix_duration().as_secs() {
        return invalid(CertificateError::NotValidYet);
    }
    if now > validity.not_after.to_unix_duration().as_secs() {
        return invalid(CertificateError::Expired);
    }
    Ok(())
}

/// Whether the host's name is the certificate's common name, which counts, as for libpq, only where no
/// subjectAltName of the certificate has a host in it.
pub(super) fn has_common_name(cert: &CertificateDer<'_>, name: &ServerName<'_>) -> bool {
    let ServerName::DnsName(host) = name else {
        return false;
    };
    let Ok(read) = Certificate::from_der(cert) else {
        return false;
    };
    match read.tbs_certificate.get::<SubjectAltName>() {
        Ok(None) => {}
        Ok(Some((_, names))) => {
            let is_host = |name: &GeneralName| {
                matches!(name, GeneralName::DnsName(_) | GeneralName::IpAddress(_))
            };
            if names.0.iter().any(is_host) {
                return false;
            }
        }
        Err(_) => return false,
    }
    read.tbs_certificate
        .subject
        .0
        .iter()
        .flat_map(|part| part.0.iter())
        .filter(|attribute| attribute.oid == CN)
        .any(|attribute| {
            let utf8 = attribute.value.decode_as::<asn1::Utf8StringRef<'_>>();
            let printable = attribute.value.decode_as::<asn1::PrintableStringRef<'_>>();
            match (&utf8, &printable) {
                (Ok(text), _) => fits(text.as_str(), host.as_ref()),
                (_, Ok(text)) => fits(text.as_str(), host.as_ref()),
                _ => false,
            }
        })
}

/// Whether a name, whose first label may be `*`, is this host's.
fn fits(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host
            .split_once('.')
            .is_some_and(|(label, rest)| !label.is_empty() && rest.eq_ignore_ascii_case(domain)),
        None => pattern.eq_ignore_ascii_case(host),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_one_label() {
        assert!(fits("DB.example", "db.example"));
        assert!(fits("*.example", "db.example"));
        assert!(!fits("*.example", "a.db.example"));
        assert!(!fits("*.example", "example"));
        assert!(!fits("db.example", "db.example.org"));
    }
}
