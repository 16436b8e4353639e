//! One connection, driven by the task that uses it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_postgres::{AsyncMessage, Client, Connection};

use super::{Meter, Transport};
use crate::connect::{CancelToken, Notice, TlsStream};

/// A connection and its two halves, polled in one task: between a statement and its answer there is no
/// hop to another task, which would cost as much as a round trip on one machine.
pub struct Link {
    client: Client,
    io: Option<Connection<Transport, TlsStream>>,
    meter: Arc<Meter>,
    token: CancelToken,
    notices: Vec<Notice>,
    lost: Option<tokio_postgres::Error>,
}

impl Link {
    pub(crate) fn new(
        client: Client,
        io: Connection<Transport, TlsStream>,
        meter: Arc<Meter>,
        token: CancelToken,
    ) -> Link {
        Link {
            client,
            io: Some(io),
            meter,
            token,
            notices: Vec::new(),
            lost: None,
        }
    }

    /// Does something with the client, and moves the connection's bytes until it is done. Everything
    /// that uses the client goes through here: without it nothing is sent or received.
    pub async fn drive<T>(&mut self, work: impl AsyncFnOnce(&Client) -> T) -> T {
        let Link {
            client,
            io,
            meter,
            notices,
            lost,
            ..
        } = self;
        let mut work = pin!(work(client));
        poll_fn(|context| {
            // As long as something moves there may be more to do, and a turn of the scheduler in
            // between takes some microseconds.
            for _ in 0..MOST_TURNS {
                if let Poll::Ready(result) = work.as_mut().poll(context) {
                    return Poll::Ready(result);
                }
                let before = meter.bytes();
                move_bytes(io, notices, lost, context);
                if meter.bytes() == before {
                    return work.as_mut().poll(context);
                }
            }
            // The thread has other tasks too.
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }

    /// What went over the wire so far.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Whether the connection is gone; statements fail then.
    pub fn is_lost(&self) -> bool {
        self.io.is_none()
    }

    /// Why it is gone, if that was not the end of its client: what the server said last, as when it shut
    /// down, or the system.
    pub fn take_loss(&mut self) -> Option<tokio_postgres::Error> {
        self.lost.take()
    }

    /// The notices that have come since the last call.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// What cancels the statement that is under way, from anywhere.
    pub fn cancel_token(&self) -> CancelToken {
        self.token.clone()
    }

    /// A parameter that the server has told, such as `server_version`.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.io.as_ref()?.parameter(name)
    }

    /// Says farewell to the server and waits until it is said.
    pub async fn close(self) {
        let Link { client, io, .. } = self;
        drop(client);
        if let Some(mut io) = io {
            poll_fn(|context| {
                loop {
                    match io.poll_message(context) {
                        Poll::Ready(Some(Ok(_))) => continue,
                        Poll::Ready(_) => return Poll::Ready(()),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            })
            .await;
        }
    }

    /// The two halves, for whoever drives the connection otherwise.
    pub(crate) fn into_parts(self) -> (Client, Option<Connection<Transport, TlsStream>>) {
        (self.client, self.io)
    }
}

/// How often bytes move before the other tasks of the thread have their turn.
const MOST_TURNS: usize = 32;
/// Most notices that are kept before somebody takes them.
const MOST_NOTICES: usize = 1_000;

fn move_bytes(
    io: &mut Option<Connection<Transport, TlsStream>>,
    notices: &mut Vec<Notice>,
    lost: &mut Option<tokio_postgres::Error>,
    context: &mut Context<'_>,
) {
    while let Some(connection) = io {
        match connection.poll_message(context) {
            Poll::Pending => return,
            Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => {
                if notices.len() < MOST_NOTICES {
                    notices.push(notice);
                }
            }
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => {
                *lost = Some(error);
                // Dropped, so that what waits for an answer learns that none will come.
                *io = None;
            }
            Poll::Ready(None) => *io = None,
        }
    }
}
