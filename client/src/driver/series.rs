//! The figures while a run goes on: a point a second for the result, a line for the terminal.

use std::sync::Arc;

use workload::Workload;
use workload::result::{ClientPoint, SeriesPoint, StatementCounts};
use workload::stats::{Interval, IntervalReader};

use super::desk::Desk;

/// A run's last point is not kept apart when it would be shorter than this, in seconds.
const SHORTEST_POINT_S: f64 = 0.5;

/// Reads the desks once a second and once a report interval. Times are in seconds since the measuring
/// began, negative in the ramp-up.
pub struct Series {
    workload: &'static Workload,
    desks: Vec<Arc<Desk>>,
    duration_s: f64,
    report_interval_s: f64,
    ramp_up_s: f64,
    points: Reader,
    lines: Reader,
    next_point_s: f64,
    next_line_s: f64,
    series: Vec<SeriesPoint>,
}

/// What was counted between two looks.
#[derive(Default)]
struct Reader {
    intervals: IntervalReader,
    earlier: Sums,
}

/// What the tallies of all threads add up to.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    connections: u32,
    statements: StatementCounts,
    reconnects: u64,
    ramp_up: (u64, u64),
}

impl Sums {
    fn of(desks: &[Arc<Desk>]) -> Sums {
        let mut sums = Sums::default();
        for desk in desks {
            let tally = desk.tally();
            sums.connections += tally.connections;
            sums.statements.merge(&tally.statements);
            sums.reconnects += tally.reconnects;
            sums.ramp_up.0 += tally.ramp_up.0;
            sums.ramp_up.1 += tally.ramp_up.1;
        }
        sums
    }
}

impl Reader {
    fn read(&mut self, desks: &[Arc<Desk>], now_s: f64) -> (Interval, ClientPoint, Sums) {
        let recorders = desks.iter().map(|desk| &*desk.recorder);
        let interval = self.intervals.read(recorders, now_s);
        let now = Sums::of(desks);
        let earlier = std::mem::replace(&mut self.earlier, now);
        let point = ClientPoint {
            connections: now.connections,
            statements: now.statements.since(&earlier.statements),
            reconnects: now.reconnects - earlier.reconnects,
        };
        (interval, point, earlier)
    }
}

impl Series {
    /// Of a run that will be so long; 0 as the report interval gives no lines.
    pub fn new(
        workload: &'static Workload,
        desks: Vec<Arc<Desk>>,
        ramp_up_s: f64,
        duration_s: f64,
        report_interval_s: f64,
    ) -> Series {
        Series {
            workload,
            desks,
            duration_s,
            report_interval_s,
            ramp_up_s,
            points: Reader::default(),
            lines: Reader::default(),
            next_point_s: 1.0,
            next_line_s: report_interval_s - ramp_up_s,
            series: Vec::new(),
        }
    }

    /// Looks at the desks. Gives the line to tell, if one is due.
    pub fn look(&mut self, measured_s: f64) -> Option<String> {
        let measured_s = to_ms(measured_s);
        if measured_s >= self.next_point_s
            && self.next_point_s <= self.duration_s - SHORTEST_POINT_S
        {
            self.point(measured_s);
            self.next_point_s = measured_s.floor() + 1.0;
        }
        if self.report_interval_s <= 0.0 || measured_s < self.next_line_s {
            return None;
        }
        while self.next_line_s <= measured_s {
            self.next_line_s += self.report_interval_s;
        }
        let elapsed_s = measured_s + self.ramp_up_s;
        if measured_s <= 0.0 {
            let sums = Sums::of(&self.desks);
            let earlier = std::mem::replace(&mut self.lines.earlier, sums);
            let rate =
                |now: u64, before: u64| shown((now - before) as f64 / self.report_interval_s);
            return Some(format!(
                "[ {elapsed_s:.0}s ] ramp-up, thds: {} tps: {} err/s: {}",
                sums.connections,
                rate(sums.ramp_up.0, earlier.ramp_up.0),
                rate(sums.ramp_up.1, earlier.ramp_up.1),
            ));
        }
        let (interval, point, _) = self.lines.read(&self.desks, measured_s);
        Some(line(elapsed_s, &interval, &point))
    }

    /// When the next point or line is due.
    pub fn next_s(&self) -> f64 {
        if self.report_interval_s > 0.0 {
            self.next_point_s.min(self.next_line_s)
        } else {
            self.next_point_s
        }
    }

    /// The last point, up to the end of what was measured, and with it all of them.
    pub fn finish(mut self, measured_s: f64) -> Vec<SeriesPoint> {
        if measured_s > 0.0 {
            self.point(to_ms(measured_s));
        }
        self.series
    }

    fn point(&mut self, measured_s: f64) {
        let (interval, client, _) = self.points.read(&self.desks, measured_s);
        let mut point = SeriesPoint::new(self.workload, &interval);
        point.client = Some(client);
        self.series.push(point);
    }
}

/// Whole milliseconds, so that the numbers of a document are short.
fn to_ms(s: f64) -> f64 {
    (s * 1e3).round() / 1e3
}

/// A rate: from 100 on without decimals, so that a line fits.
fn shown(rate: f64) -> String {
    let decimals = if rate < 100.0 { 2 } else { 0 };
    format!("{rate:.decimals$}")
}

/// A line as sysbench prints it.
fn line(elapsed_s: f64, interval: &Interval, client: &ClientPoint) -> String {
    let length_s = interval.length_s.max(1e-9);
    let rate = |count: u64| shown(count as f64 / length_s);
    let total = interval.total();
    let statements = client.statements;
    let mut line = format!(
        "[ {elapsed_s:.0}s ] thds: {} tps: {} qps: {} (r/w/o: {}/{}/{}) lat (ms,95%): {:.2} err/s: {} \
         reconn/s: {}",
        client.connections,
        shown(interval.transactions_per_second()),
        rate(statements.total()),
        rate(statements.reads),
        rate(statements.writes),
        rate(statements.other),
        interval.p95_us as f64 / 1e3,
        rate(total.failed),
        rate(client.reconnects),
    );
    if total.skipped > 0 {
        line.push_str(&format!(" skipped/s: {}", rate(total.skipped)));
    }
    line
}
