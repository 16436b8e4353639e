//! A server that speaks TLS on a loopback address that no other test has.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair,
};
use tests::{Cluster, eventually, sql};
use tokio::sync::OnceCell;

/// The name in the server's certificate.
pub(crate) const NAME: &str = "db.pg-tpcc.test";
/// A password with every character that something could stumble over.
pub(crate) const PASSWORD: &str = "p@:/%'\\ \"?#&= \u{e9}\u{2028}";
/// The role that has it, which may log in under TLS alone.
pub(crate) const ROLE: &str = "user@host";

/// Who may log in how: `ROLE` with a password, `with_cert` with a certificate, and `plain`
/// without TLS alone.
const HBA: &str = "\
local all all trust
hostssl all with_cert all cert
hostnossl all plain all trust
hostssl all \"user@host\" all scram-sha-256
";

/// The server and the files of its users.
pub(crate) struct Server {
    pub cluster: Cluster,
    pub address: String,
    folder: PathBuf,
}

impl Server {
    /// The one that the tests of this binary share.
    pub(crate) async fn shared() -> &'static Server {
        static SHARED: OnceCell<Server> = OnceCell::const_new();
        SHARED
            .get_or_init(async || Server::start(77, Server::make_certificates).await)
            .await
    }

    /// One whose certificate is its own CA, as PostgreSQL's documentation makes it for a quick start, and
    /// has its name as common name alone.
    pub(crate) async fn start_self_signed() -> Server {
        Server::start(78, Server::make_self_signed).await
    }

    async fn start(network: u8, make_certificates: impl FnOnce(&Server)) -> Server {
        let [_, .., b, c] = std::process::id().to_be_bytes();
        let address = format!("127.{network}.{b}.{c}");
        let cluster = Cluster::private_with(&[("listen_addresses", &address)]);
        let folder = cluster.server().place().dir().join("users");
        fs::create_dir_all(&folder).unwrap();
        let server = Server {
            cluster,
            address,
            folder,
        };
        make_certificates(&server);
        let data = server.cluster.server().place().data();
        fs::write(data.join("pg_hba.conf"), HBA).unwrap();
        let session = server.cluster.witness().await;
        for sql in [
            "ALTER SYSTEM SET ssl_ca_file = 'clients.crt'",
            "ALTER SYSTEM SET ssl = on",
            "CREATE ROLE with_cert LOGIN",
            "CREATE ROLE plain LOGIN",
        ] {
            sql::run(&session, sql).await;
        }
        let (role, password) = (sql::ident(ROLE), sql::literal(PASSWORD));
        let create = format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD {password}");
        sql::run(&session, &create).await;
        sql::run(&session, "SELECT pg_reload_conf()").await;
        eventually("the server has TLS", Duration::from_secs(10), async || {
            super::open(&server.string("user=with_cert sslmode=require", true))
                .await
                .is_ok()
        })
        .await;
        server
    }

    fn make_self_signed(&self) {
        let mut params = named(Vec::new(), NAME);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let crt = params.self_signed(&key).unwrap().pem();
        let (client_ca, client_ca_pem) = authority("client CA");
        let (_, other_pem) = authority(NAME);
        self.give_server(&crt, &key.serialize_pem(), &client_ca_pem);
        let (user_crt, user_key) = signed(Vec::new(), "with_cert", &client_ca);
        self.give_users(&crt, &other_pem, &user_crt, &user_key);
    }

    /// One CA for the server, one for its users, and one that has signed neither.
    fn make_certificates(&self) {
        let (server_ca, server_ca_pem) = authority("server CA");
        let (client_ca, client_ca_pem) = authority("client CA");
        let (_, other_pem) = authority("other CA");
        let names = vec![NAME.to_owned(), self.address.clone()];
        let (crt, key) = signed(names, "server", &server_ca);
        self.give_server(&crt, &key, &client_ca_pem);
        let (crt, key) = signed(Vec::new(), "with_cert", &client_ca);
        self.give_users(&server_ca_pem, &other_pem, &crt, &key);
    }

    fn give_server(&self, crt: &str, key: &str, client_ca: &str) {
        let data = self.cluster.server().place().data();
        for (name, text) in [
            ("server.crt", crt),
            ("server.key", key),
            ("clients.crt", client_ca),
        ] {
            let path = data.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            self.cluster.server().account().take(&path).unwrap();
        }
    }

    fn give_users(&self, root: &str, other: &str, crt: &str, key: &str) {
        self.file("root.crt", root, 0o644);
        self.file("other.crt", other, 0o644);
        self.file("user.crt", crt, 0o644);
        self.file("user.key", key, 0o600);
    }

    /// A file of the users.
    pub(crate) fn file(&self, name: &str, text: &str, mode: u32) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// Where it is.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// A connection string over TCP, with the client's certificate or without.
    pub(crate) fn string(&self, more: &str, certificate: bool) -> String {
        let mut text = format!(
            "hostaddr={} port={} dbname=postgres {more}",
            self.address,
            self.cluster.server().port()
        );
        if certificate {
            let (crt, key) = (self.path("user.crt"), self.path("user.key"));
            text.push_str(&format!(" sslcert='{crt}' sslkey='{key}'"));
        }
        text
    }

    /// The same for the role with the password.
    pub(crate) fn with_password(&self, more: &str) -> String {
        let password = PASSWORD.replace('\\', "\\\\").replace('\'', "\\'");
        self.string(&format!("user={ROLE} password='{password}' {more}"), false)
    }
}

fn authority(name: &str) -> (Issuer<'static, KeyPair>, String) {
    let mut params = named(Vec::new(), name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    (Issuer::new(params, key), pem)
}

fn signed(names: Vec<String>, common: &str, by: &Issuer<'_, KeyPair>) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let cert = named(names, common).signed_by(&key, by).unwrap();
    (cert.pem(), key.serialize_pem())
}

fn named(names: Vec<String>, common: &str) -> CertificateParams {
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common);
    params
}
