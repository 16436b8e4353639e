//! Requests that are sent together.

use std::future::{Future, poll_fn};
use std::task::Poll;

/// Waits for all of them, each polled first in the order given, which is therefore the order of sending.
pub(super) async fn in_order<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(Box::pin).collect();
    let mut results: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut all = true;
        for (future, result) in waiting.iter_mut().zip(&mut results) {
            if result.is_some() {
                continue;
            }
            match future.as_mut().poll(context) {
                Poll::Ready(done) => *result = Some(done),
                Poll::Pending => all = false,
            }
        }
        if all { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}
