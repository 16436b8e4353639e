//! From a place to a connected socket.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::net::sockopt;
use tokio::net::{TcpStream, UnixStream, lookup_host};

use super::settings::{Address, KeepAlive, Place};
use crate::wire::Socket;

/// One address of a server, looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// Folder and port.
    Unix(PathBuf, u16),
    Tcp(SocketAddr),
}

/// The addresses of a place, in the order of the system's resolver.
pub(super) async fn resolve(place: &Place) -> io::Result<Vec<Endpoint>> {
    match &place.address {
        Address::Unix(folder) => Ok(vec![Endpoint::Unix(folder.clone(), place.port)]),
        Address::Ip(ip) => Ok(vec![Endpoint::Tcp(SocketAddr::new(*ip, place.port))]),
        Address::Name(name) => match name.parse::<IpAddr>() {
            Ok(ip) => Ok(vec![Endpoint::Tcp(SocketAddr::new(ip, place.port))]),
            Err(_) => {
                let found = lookup_host((name.as_str(), place.port)).await;
                let found = found.map_err(|error| {
                    io::Error::other(format!(
                        "could not translate the host name to an address: {error}"
                    ))
                })?;
                Ok(found.map(Endpoint::Tcp).collect())
            }
        },
    }
}

/// Connects.
pub(super) async fn connect(endpoint: &Endpoint, keepalive: &KeepAlive) -> io::Result<Socket> {
    match endpoint {
        Endpoint::Unix(folder, port) => {
            let path = folder.join(format!(".s.PGSQL.{port}"));
            UnixStream::connect(system_path(&path))
                .await
                .map(Socket::Unix)
        }
        Endpoint::Tcp(address) => {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            keep_alive(&stream, keepalive)?;
            Ok(Socket::Tcp(stream))
        }
    }
}

/// A leading `@` is how people write the zero byte of an abstract address.
fn system_path(path: &Path) -> PathBuf {
    match path.as_os_str().as_bytes().strip_prefix(b"@") {
        Some(rest) => {
            let name = [b"\0", rest].concat();
            PathBuf::from(std::ffi::OsStr::from_bytes(&name))
        }
        None => path.to_path_buf(),
    }
}

fn keep_alive(stream: &TcpStream, wanted: &KeepAlive) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, !wanted.off)?;
    if let Some(limit) = wanted.user_timeout_ms {
        sockopt::set_tcp_user_timeout(stream, limit)?;
    }
    if wanted.off {
        return Ok(());
    }
    if let Some(idle) = wanted.idle {
        sockopt::set_tcp_keepidle(stream, idle)?;
    }
    if let Some(interval) = wanted.interval {
        sockopt::set_tcp_keepintvl(stream, interval)?;
    }
    if let Some(count) = wanted.count {
        sockopt::set_tcp_keepcnt(stream, count)?;
    }
    Ok(())
}
