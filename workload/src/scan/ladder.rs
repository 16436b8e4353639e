//! Which degrees of parallelism are measured.

/// The most workers that PostgreSQL takes for a table (`parallel_workers`).
pub const MOST_WORKERS: u32 = 1024;

/// 0, 1, 2, 4 and so on, and `most` itself.
pub fn ladder(most: u32) -> Vec<u32> {
    let powers = (0..u32::BITS).map(|power| 1 << power);
    let mut degrees = vec![0];
    degrees.extend(powers.take_while(|degree| *degree < most));
    if most > 0 {
        degrees.push(most);
    }
    degrees
}

/// Degrees as they are measured: in rising order, each once, with 0 as the one that the others are compared to.
pub fn with_serial(asked: &[u32]) -> Vec<u32> {
    let mut degrees = vec![0];
    degrees.extend(asked);
    degrees.sort_unstable();
    degrees.dedup();
    degrees
}
