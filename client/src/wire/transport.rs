//! The bytes of a connection: counted, waited for without sleeping, delayed.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::net::{RecvFlags, recv};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

use super::{Meter, Timer, Wire};

/// A connected socket of either kind.
#[derive(Debug)]
pub enum Socket {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a Unix-domain socket.
    Unix(UnixStream),
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
        }
    }
}

/// Calls a method of whichever stream it is.
macro_rules! either {
    ($socket:expr, $method:ident ( $($argument:expr),* )) => {
        match $socket {
            Socket::Tcp(stream) => Pin::new(stream).$method($($argument),*),
            Socket::Unix(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

/// How long a wait spins without a look at the thread's other tasks.
const SPIN_AT_ONCE: Duration = Duration::from_micros(50);

/// A socket whose round trips are counted, and which can spin and delay as its [`Wire`] says.
#[derive(Debug)]
pub struct Transport {
    socket: Socket,
    meter: Arc<Meter>,
    spin: Duration,
    /// How much of it at once, before the thread's other tasks have their turn.
    spin_at_once: Duration,
    /// Whether something was sent for which no answer has come yet.
    asked: bool,
    /// When the wait for the present answer began to spin.
    spinning_since: Option<Instant>,
    delay: Option<Delay>,
}

impl Transport {
    /// A transport over a connected socket.
    pub fn new(socket: Socket, wire: Wire, meter: Arc<Meter>) -> Transport {
        Transport {
            socket,
            meter,
            spin: wire.spin,
            spin_at_once: if wire.simulated_rtt.is_zero() {
                SPIN_AT_ONCE
            } else {
                // What is held back is due at a moment that must not be missed.
                Duration::ZERO
            },
            asked: false,
            spinning_since: None,
            delay: (!wire.simulated_rtt.is_zero()).then(|| Delay::new(wire.simulated_rtt)),
        }
    }

    /// Reads what the socket has, as far as it is there.
    fn poll_socket(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.spin.is_zero() || !self.asked {
            return either!(&mut self.socket, poll_read(context, buffer));
        }
        let mut turn = None;
        loop {
            match recv(
                self.socket.as_fd(),
                buffer.initialize_unfilled(),
                RecvFlags::DONTWAIT,
            ) {
                Ok((read, _)) => {
                    buffer.advance(read);
                    self.spinning_since = None;
                    return Poll::Ready(Ok(()));
                }
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {
                    let now = Instant::now();
                    if now - *self.spinning_since.get_or_insert(now) >= self.spin {
                        return either!(&mut self.socket, poll_read(context, buffer));
                    }
                    if now - *turn.get_or_insert(now) >= self.spin_at_once {
                        context.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    // The server may wait for this very processor.
                    std::thread::yield_now();
                }
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let result = match this.delay.take() {
            None => this.poll_socket(context, buffer),
            Some(mut delay) => {
                let result = delay.poll_read(this, context, buffer);
                this.delay = Some(delay);
                result
            }
        };
        let read = buffer.filled().len() - before;
        if read > 0 {
            this.asked = false;
            this.spinning_since = None;
            this.meter.bytes_received.fetch_add(read as u64, Relaxed);
        }
        result
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = either!(&mut this.socket, poll_write(context, bytes));
        if let Poll::Ready(Ok(written @ 1..)) = result {
            if !this.asked {
                this.meter.round_trips.fetch_add(1, Relaxed);
            }
            this.asked = true;
            this.meter.bytes_sent.fetch_add(written as u64, Relaxed);
        }
        result
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().socket, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().socket, poll_shutdown(context))
    }
}

/// Answers that have come, and are not given out before their time.
#[derive(Debug)]
struct Delay {
    by: Duration,
    held: VecDeque<Held>,
    timer: Timer,
    /// What the end of the stream was, once it has come; it waits its turn too.
    end: Option<io::Result<()>>,
}

#[derive(Debug)]
struct Held {
    due: Instant,
    bytes: Vec<u8>,
    given: usize,
}

/// What is read from a socket at once.
const CHUNK: usize = 8 * 1024;
/// No more than this is held back before it is given out.
const MOST_HELD: usize = 64;

impl Delay {
    fn new(by: Duration) -> Delay {
        Delay {
            by,
            held: VecDeque::new(),
            timer: Timer::new(),
            end: None,
        }
    }

    fn poll_read(
        &mut self,
        transport: &mut Transport,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.take_in(transport, context);
        let Some(first) = self.held.front_mut() else {
            return match self.end.take() {
                Some(end) => {
                    self.end = Some(Ok(()));
                    Poll::Ready(end)
                }
                None => Poll::Pending,
            };
        };
        if let Poll::Ready(result) = self.timer.poll_until(first.due, context) {
            result?;
            let left = &first.bytes[first.given..];
            let given = left.len().min(buffer.remaining());
            buffer.put_slice(&left[..given]);
            first.given += given;
            if first.given == first.bytes.len() {
                self.held.pop_front();
            }
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }

    fn take_in(&mut self, transport: &mut Transport, context: &mut Context<'_>) {
        while self.end.is_none() && self.held.len() < MOST_HELD {
            let mut bytes = vec![0; CHUNK];
            let mut chunk = ReadBuf::new(&mut bytes);
            match transport.poll_socket(context, &mut chunk) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) if !chunk.filled().is_empty() => {
                    let read = chunk.filled().len();
                    bytes.truncate(read);
                    self.held.push_back(Held {
                        due: Instant::now() + self.by,
                        bytes,
                        given: 0,
                    });
                }
                Poll::Ready(end) => self.end = Some(end),
            }
        }
    }
}
