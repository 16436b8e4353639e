//! Keying and think times (clause 5.2.5), for terminals that are paced like people.

use std::time::Duration;

use super::random::Rng;
use super::transaction::TransactionType;

/// How long the input of a type takes to key in (clause 5.2.5.2).
pub const fn keying_time(transaction: TransactionType) -> Duration {
    Duration::from_secs(match transaction {
        TransactionType::NewOrder => 18,
        TransactionType::Payment => 3,
        TransactionType::OrderStatus | TransactionType::Delivery | TransactionType::StockLevel => 2,
    })
}

/// The mean of the time that is spent over the output of a type (clause 5.2.5.4).
pub const fn mean_think_time(transaction: TransactionType) -> Duration {
    Duration::from_secs(match transaction {
        TransactionType::NewOrder | TransactionType::Payment => 12,
        TransactionType::OrderStatus => 10,
        TransactionType::Delivery | TransactionType::StockLevel => 5,
    })
}

/// A negative exponential time with a mean, cut at ten times that (clause 5.2.5.4); also the gap
/// between arrivals that are independent of each other.
pub fn exponential(mean: Duration, rng: &mut Rng) -> Duration {
    mean.mul_f64((-rng.unit().ln()).min(10.0))
}

/// A think time: negative exponential with the type's mean, cut at ten times that (clause 5.2.5.4).
pub fn think_time(transaction: TransactionType, rng: &mut Rng) -> Duration {
    exponential(mean_think_time(transaction), rng)
}

#[cfg(test)]
mod tests {
    use super::super::random::Stream;
    use super::*;

    #[test]
    fn think_times_have_the_mean_and_the_cut_of_the_standard() {
        let mut rng = Rng::keyed(1, Stream::Caller, 0);
        for transaction in TransactionType::ALL {
            let mean = mean_think_time(transaction).as_secs_f64();
            let draws = 100_000;
            let times: Vec<f64> = (0..draws)
                .map(|_| think_time(transaction, &mut rng).as_secs_f64())
                .collect();
            let measured = times.iter().sum::<f64>() / f64::from(draws);
            assert!(
                (measured / mean - 1.0).abs() < 0.02,
                "{transaction}: {measured} s"
            );
            assert!(times.iter().all(|t| (0.0..=10.0 * mean).contains(t)));
            // 1 - exp(-1) of an exponential distribution lies below its mean.
            let below = times.iter().filter(|&&t| t < mean).count() as f64 / f64::from(draws);
            assert!(
                (below - 0.632).abs() < 0.01,
                "{transaction}: {below} below the mean"
            );
        }
    }

    #[test]
    fn keying_times_are_the_standards() {
        let seconds = TransactionType::ALL.map(|t| keying_time(t).as_secs());
        assert_eq!(seconds, [18, 3, 2, 2, 2]);
    }
}
