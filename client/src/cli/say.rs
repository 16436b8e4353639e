//! Printing that does not mind when nobody listens any more, as behind `| head`: the work goes on, and its
//! result files are written.

/// A line on standard output, for results.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        // Nobody is left to tell.
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// A line on standard error, for progress and complaints.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        // Nobody is left to tell.
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}
