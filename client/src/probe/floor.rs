//! What the tool itself adds: round trips to a thread of its own that answers at once.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::ProbeError;
use super::calls::{self, Effort};
use super::report::Floor;
use super::times::Times;
use crate::connect::Connector;
use crate::wire::Wire;

/// Round trips to an echo in this process, by the code that measures the server
/// too: all that is the client's, and two hops over the machine's own network. A simulated delay is left
/// out of the figures, but not what the client does for it.
///
/// The echo sleeps until it is asked, as a server does. `unix_socket` says over what kind of socket.
///
/// # Errors
/// When the process may open no socket.
pub async fn measure(unix_socket: bool, wire: Wire, effort: Effort) -> Result<Floor, ProbeError> {
    let mut echo = Config::new();
    echo.user("tpcc").dbname("tpcc").ssl_mode(SslMode::Disable);
    let failed = |error| ProbeError::Floor(error);
    let folder = if unix_socket {
        let folder = Folder::new().map_err(failed)?;
        let listener = UnixListener::bind(folder.0.join(".s.PGSQL.5432")).map_err(failed)?;
        echo.host_path(&folder.0).port(5432);
        answer(move || listener.accept().map(|(stream, _)| stream)).map_err(failed)?;
        Some(folder)
    } else {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        echo.host("127.0.0.1").port(port);
        let accept = move || {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            Ok(stream)
        };
        answer(accept).map_err(failed)?;
        None
    };
    let mut link = Connector::from(echo).open(wire).await?;
    drop(folder);
    let empty = calls::simple(&mut link, "", effort).await?;
    let prepared = calls::prepared(&mut link, calls::SELECT_1, effort).await?;
    link.close().await;
    let alone = |times: Times| {
        let figures = times.figures().ok_or(ProbeError::NoCall(effort.time))?;
        Ok::<_, ProbeError>(figures.less(wire.simulated_rtt))
    };
    Ok(Floor {
        empty: alone(empty)?,
        prepared: alone(prepared)?,
    })
}

/// A folder that only we may enter, for a socket.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        use std::os::unix::fs::DirBuilderExt;
        let folder = std::env::temp_dir().join(format!("tpcc-probe-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody else writes there; if it stays, it is an empty folder among temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Serves one connection in a thread, which ends with it.
fn answer<S: Read + Write>(
    accept: impl FnOnce() -> io::Result<S> + Send + 'static,
) -> io::Result<()> {
    thread::Builder::new().name("echo".into()).spawn(move || {
        // A connection that breaks is noticed at its other end.
        let _ = accept().and_then(serve);
    })?;
    Ok(())
}

/// Speaks as much of the protocol as it takes to log in, to prepare and execute a statement,
/// and to take an empty query.
fn serve(stream: impl Read + Write) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    // The start-up message has no type. Nobody who knows us asks for TLS.
    body(&mut stream)?;
    let welcome = [b'R', 0, 0, 0, 8, 0, 0, 0, 0, b'Z', 0, 0, 0, 5, b'I'];
    stream.get_mut().write_all(&welcome)?;
    let mut answer = Vec::new();
    loop {
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        body(&mut stream)?;
        let part: &[u8] = match kind[0] {
            b'P' => &[b'1', 0, 0, 0, 4],
            b'B' => &[b'2', 0, 0, 0, 4],
            b'C' => &[b'3', 0, 0, 0, 4],
            // No parameters, no columns.
            b'D' => &[b't', 0, 0, 0, 6, 0, 0, b'n', 0, 0, 0, 4],
            b'E' => b"C\0\0\0\x0dSELECT 1\0",
            b'S' => &[b'Z', 0, 0, 0, 5, b'I'],
            b'Q' => &[b'I', 0, 0, 0, 4, b'Z', 0, 0, 0, 5, b'I'],
            b'X' => return Ok(()),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        answer.extend_from_slice(part);
        if matches!(kind[0], b'S' | b'Q') {
            stream.get_mut().write_all(&answer)?;
            answer.clear();
        }
    }
}

/// Reads the length of a message and what follows.
fn body(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length).saturating_sub(4);
    let mut body = vec![0; length.min(1 << 16) as usize];
    stream.read_exact(&mut body)?;
    Ok(body)
}
