//! Work that Ctrl-C ends, on the server too.

use super::ScanError;
use crate::connect::Session;

/// Does what a session is asked to do; when `interrupt` is ready before, the server is asked to cancel it.
///
/// # Errors
/// [`ScanError::Interrupted`], and those of the work.
pub(super) async fn or_cancel<T>(
    session: &Session,
    interrupt: &mut (impl Future<Output = ()> + Unpin),
    work: impl Future<Output = Result<T, ScanError>>,
) -> Result<T, ScanError> {
    tokio::select! {
        result = work => result,
        () = interrupt => {
            // The server may be gone, and nothing is to be cancelled then.
            let _ = session.cancel().await;
            Err(ScanError::Interrupted)
        }
    }
}
