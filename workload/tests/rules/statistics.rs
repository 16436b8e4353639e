//! The chi-square test.

/// How far observed counts are from expected ones, in standard deviations of the chi-square statistic;
/// neighbours are joined until a cell expects at least ten.
pub fn chi_square_deviation(observed: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected.len());
    let (mut statistic, mut cells) = (0.0, 0u32);
    let (mut seen, mut awaited) = (0.0, 0.0);
    for (&o, &e) in observed.iter().zip(expected) {
        if e == 0.0 {
            assert_eq!(o, 0, "a value that cannot be was drawn");
        }
        seen += o as f64;
        awaited += e;
        if awaited >= 10.0 {
            statistic += (seen - awaited) * (seen - awaited) / awaited;
            cells += 1;
            (seen, awaited) = (0.0, 0.0);
        }
    }
    let freedom = f64::from(cells - 1);
    (statistic - freedom) / (2.0 * freedom).sqrt()
}

/// Asserts that counts follow shares; a right generator fails by chance for one seed in a thousand or
/// so, and the seeds are fixed.
pub fn assert_follows(what: &str, observed: &[u64], shares: impl Iterator<Item = f64>) {
    let total: u64 = observed.iter().sum();
    let expected: Vec<f64> = shares.map(|share| share * total as f64).collect();
    let deviation = chi_square_deviation(observed, &expected);
    assert!(
        deviation.abs() < 3.5,
        "{what}: {deviation:.2} standard deviations off"
    );
}

/// Asserts that all cells are as likely.
pub fn assert_uniform(what: &str, observed: &[u64]) {
    let share = 1.0 / observed.len() as f64;
    assert_follows(what, observed, observed.iter().map(|_| share));
}

/// Asserts that a share of so many cases is within five standard deviations of what it should be.
pub fn assert_share(what: &str, hits: u64, cases: u64, share: f64) {
    let measured = hits as f64 / cases as f64;
    let tolerance = 5.0 * (share * (1.0 - share) / cases as f64).sqrt();
    assert!(
        (measured - share).abs() <= tolerance,
        "{what}: {measured:.5} and not {share} (give or take {tolerance:.5})"
    );
}
