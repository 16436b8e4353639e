//! The figures while a run goes on: a point a second for the result, a line for the caller.

use std::fmt::Write;

use workload::result::SeriesPoint;
use workload::stats::{Interval, IntervalReader};
use workload::{Headline, Workload};

use super::board::RunBoard;

/// A run's last point is not kept apart when it would be shorter than this, in seconds.
const SHORTEST_POINT_S: f64 = 0.5;

/// A line that is due so soon after the ramp-up still tells of that, in seconds.
const SHORTEST_LINE_S: f64 = 0.05;

/// Reads a board once a second and once a report interval.
pub struct Progress {
    workload: &'static Workload,
    ramp_up_s: f64,
    duration_s: f64,
    report_interval_s: f64,
    points: IntervalReader,
    lines: IntervalReader,
    next_point_s: f64,
    next_line_s: f64,
    series: Vec<SeriesPoint>,
}

impl Progress {
    /// Of a run that will be so long. Times are in seconds; 0 as the interval gives no lines.
    pub fn new(
        workload: &'static Workload,
        ramp_up_s: f64,
        duration_s: f64,
        report_interval_s: f64,
    ) -> Self {
        Self {
            workload,
            ramp_up_s,
            duration_s,
            report_interval_s,
            points: IntervalReader::new(),
            lines: IntervalReader::new(),
            next_point_s: 1.0,
            next_line_s: report_interval_s,
            series: Vec::new(),
        }
    }

    /// Looks at the board `elapsed_s` after the terminals were let go. Gives the line to tell, if
    /// one is due.
    pub fn look(&mut self, board: &RunBoard, elapsed_s: f64) -> Option<String> {
        let measured_s = to_ms(elapsed_s - self.ramp_up_s);
        if measured_s >= self.next_point_s
            && self.next_point_s <= self.duration_s - SHORTEST_POINT_S
        {
            self.point(board, measured_s);
            self.next_point_s = measured_s.floor() + 1.0;
        }
        if self.report_interval_s <= 0.0 || elapsed_s < self.next_line_s {
            return None;
        }
        let interval_s = self.report_interval_s;
        self.next_line_s = ((elapsed_s / interval_s).floor() + 1.0) * interval_s;
        if measured_s < SHORTEST_LINE_S {
            let (ended, failed) = board.ended_and_failed();
            let rate = ended as f64 / elapsed_s;
            return Some(format!(
                "{elapsed_s:.1} s, ramp-up: {rate:.0} transactions/s, {failed} errors"
            ));
        }
        Some(line(
            self.workload,
            elapsed_s,
            &self.lines.read([&board.recorder], measured_s),
        ))
    }

    /// When the next point or line is due, in seconds since the terminals were let go.
    pub fn next_s(&self) -> f64 {
        let point_s = self.ramp_up_s + self.next_point_s;
        if self.report_interval_s > 0.0 {
            point_s.min(self.next_line_s)
        } else {
            point_s
        }
    }

    /// The last point, up to the end of what was measured, and with it all of them.
    pub fn finish(mut self, board: &RunBoard, measured_s: f64) -> Vec<SeriesPoint> {
        self.point(board, measured_s);
        self.series
    }

    fn point(&mut self, board: &RunBoard, measured_s: f64) {
        self.series.push(SeriesPoint::new(
            self.workload,
            &self.points.read([&board.recorder], measured_s),
        ));
    }
}

/// Whole milliseconds, so that the numbers of a document are short.
fn to_ms(s: f64) -> f64 {
    (s * 1e3).round() / 1e3
}

fn line(workload: &'static Workload, elapsed_s: f64, interval: &Interval) -> String {
    let total = interval.total();
    let headline = match workload.headline {
        Headline::PerMinute(index, name) => {
            let rate = interval.per_minute(workload.kind(index));
            format!(" {rate:.0} {name},")
        }
        Headline::PerSecond => String::new(),
    };
    let mut line = format!(
        "{elapsed_s:.1} s: {:.0} transactions/s,{headline} p95 {:.2} ms, {} retries, {} errors",
        interval.transactions_per_second(),
        interval.p95_us as f64 / 1e3,
        total.retries(),
        total.failed,
    );
    if total.skipped > 0 {
        let _ = write!(line, ", {} skipped", total.skipped);
    }
    line
}
