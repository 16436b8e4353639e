//! Ctrl-C and SIGTERM: the first ends the work in order, the second ends the process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// Listens from now on. The result becomes ready at the first signal, when `say` is told to the user; a
/// second one ends the process at once.
///
/// # Errors
/// When the system takes no handler.
pub(super) fn listen(say: &'static str) -> io::Result<impl Future<Output = ()>> {
    let mut signals = Signals {
        interrupt: signal(SignalKind::interrupt())?,
        terminate: signal(SignalKind::terminate())?,
    };
    let (first, heard) = oneshot::channel();
    tokio::spawn(async move {
        signals.next().await;
        tell!("{say}");
        let _ = first.send(());
        signals.next().await;
        std::process::exit(130);
    });
    Ok(async {
        if heard.await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
