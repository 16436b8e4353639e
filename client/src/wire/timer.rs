//! A timer for moments between tokio's milliseconds.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// Wakes a task at a moment, some 60 us late at most: tokio's own timers are late by up to a millisecond,
/// which is more than many a round trip. It opens a file when it is first waited for.
#[derive(Debug, Default)]
pub struct Timer {
    file: Option<AsyncFd<OwnedFd>>,
    armed: Option<Instant>,
}

impl Timer {
    /// A timer that waits for nothing yet.
    pub const fn new() -> Timer {
        Timer {
            file: None,
            armed: None,
        }
    }

    /// Waits until then.
    ///
    /// # Errors
    /// When the process may open no more files.
    pub async fn until(&mut self, moment: Instant) -> io::Result<()> {
        poll_fn(|context| self.poll_until(moment, context)).await
    }

    /// The same for code that polls.
    pub fn poll_until(
        &mut self,
        moment: Instant,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Poll::Ready(Ok(()));
            }
            if self.armed != Some(moment) {
                self.arm(left)?;
                self.armed = Some(moment);
            }
            let Some(file) = &self.file else { continue };
            let mut guard = ready!(file.poll_read_ready(context))?;
            // Expired, or a left-over of an earlier moment: look at the clock again.
            let mut count = [0; 8];
            let _ = rustix::io::read(file.get_ref(), &mut count);
            guard.clear_ready();
            self.armed = None;
        }
    }

    fn arm(&mut self, left: Duration) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => {
                let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
                let file = timerfd_create(TimerfdClockId::Monotonic, flags)?;
                // What it is deprecated for is a type that changes its descriptor, which this one does not;
                // what replaces it is unsafe.
                #[expect(deprecated)]
                self.file.insert(AsyncFd::new(file)?)
            }
        };
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let spec = Itimerspec {
            it_interval: none,
            it_value: Timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            },
        };
        timerfd_settime(file.get_ref(), TimerfdTimerFlags::empty(), &spec)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_moment_is_met_and_never_early() {
        let mut timer = Timer::new();
        for us in [300, 100, 700, 0] {
            let moment = Instant::now() + Duration::from_micros(us);
            timer.until(moment).await.unwrap();
            assert!(Instant::now() >= moment);
        }
    }
}
