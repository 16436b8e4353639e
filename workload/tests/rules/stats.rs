//! The histogram's layout, the recorder with its identity, snapshots and intervals.

use workload::TransactionType;
use workload::stats::from_base64;
use workload::stats::{
    Counters, HistogramLayout, HistogramSnapshot, IntervalReader, Latency, Recorder, Retry,
    Snapshot, Timing,
};
use workload::tpcc::WORKLOAD;
use workload::tpcc::{Rng, Stream};

const QUANTILES: [f64; 9] = [0.0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0];

/// Times that reach over the whole range, most of them short.
fn times(count: usize) -> Vec<u64> {
    let mut rng = Rng::keyed(1, Stream::Caller, 0);
    (0..count)
        .map(|_| rng.below(1 << (1 + rng.clone().below(30))))
        .collect()
}

#[test]
fn a_slot_tells_a_time_to_a_thousandth() {
    let mut next = 0;
    for index in 0..HistogramLayout::SLOTS {
        let (lowest, highest) = (
            HistogramLayout::lowest_us(index),
            HistogramLayout::highest_us(index),
        );
        assert_eq!(lowest, next, "slots leave no gap");
        assert!(
            (highest - lowest) as f64 <= 0.001 * lowest as f64,
            "{lowest}..={highest}"
        );
        if highest <= HistogramLayout::MAX_US {
            assert_eq!(HistogramLayout::index_of(lowest), index);
            assert_eq!(HistogramLayout::index_of(highest), index);
        }
        next = highest + 1;
    }
    assert!(next > HistogramLayout::MAX_US);
    let last = HistogramLayout::index_of(HistogramLayout::MAX_US);
    assert_eq!(
        HistogramLayout::index_of(u64::MAX),
        last,
        "longer times are counted as the longest"
    );
}

#[test]
fn the_layout_is_hdr_histograms() {
    let empty = HistogramLayout::empty();
    assert_eq!(empty.distinct_values(), HistogramLayout::SLOTS);
    for us in times(100_000) {
        let us = us.min(HistogramLayout::MAX_US);
        let index = HistogramLayout::index_of(us);
        assert_eq!(
            HistogramLayout::lowest_us(index),
            empty.lowest_equivalent(us)
        );
        assert_eq!(
            HistogramLayout::highest_us(index),
            empty.highest_equivalent(us)
        );
    }
}

#[test]
fn percentiles_are_hdr_histograms() {
    let mut hdr = HistogramLayout::empty();
    let mut ours = HistogramSnapshot::default();
    for quantile in QUANTILES {
        assert_eq!(
            ours.value_at_quantile(quantile),
            hdr.value_at_quantile(quantile)
        );
    }
    for us in times(19_997) {
        hdr.record(us.min(HistogramLayout::MAX_US)).unwrap();
        ours.record(us);
    }
    for quantile in QUANTILES {
        assert_eq!(
            ours.value_at_quantile(quantile),
            hdr.value_at_quantile(quantile),
            "{quantile}"
        );
    }
    let converted = ours.to_hdr();
    assert_eq!(converted.len(), hdr.len());
    assert!(converted.iter_recorded().eq(hdr.iter_recorded()));
}

#[test]
fn a_histogram_is_read_back_from_its_text() {
    let mut ours = HistogramSnapshot::default();
    times(5_000).into_iter().for_each(|us| ours.record(us));
    ours.record(u64::from(u32::MAX));
    let text = ours.to_base64();
    let read = from_base64(&text).unwrap();
    assert_eq!(read.len(), 5_001);
    for quantile in QUANTILES {
        assert_eq!(
            read.value_at_quantile(quantile),
            ours.value_at_quantile(quantile)
        );
    }
    assert!(from_base64("no histogram").is_err());
    assert!(from_base64("AAAA").is_err());
}

#[test]
fn mean_minimum_and_maximum_are_exact() {
    let recorder = Recorder::new_boxed();
    for us in [1_234_567, 7_654_321, 3_000_001] {
        recorder.started(TransactionType::Payment);
        recorder.committed(TransactionType::Payment, Timing::closed(us));
    }
    let summary = recorder.snapshot().summary(&WORKLOAD, 60.0);
    let payment = &summary.types[TransactionType::Payment.index()];
    assert_eq!(payment.response.min_us, 1_234_567);
    assert_eq!(payment.response.max_us, 7_654_321);
    assert_eq!(
        payment.response.mean_us,
        (1_234_567 + 7_654_321 + 3_000_001) as f64 / 3.0
    );
    assert_eq!(
        payment.response.p999_us, 7_654_321,
        "no percentile above the longest time"
    );
    assert_eq!(payment.response, payment.service);
    let empty = summary.types[TransactionType::Delivery.index()].response;
    assert_eq!(empty, Latency::default());
}

/// Counts as a worker would, in proportions that its number decides.
fn work(recorder: &Recorder, worker: u64, transactions: u64) {
    let mut rng = Rng::keyed(1, Stream::Caller, worker);
    for _ in 0..transactions {
        let transaction = TransactionType::ALL[rng.below(5) as usize];
        recorder.started(transaction);
        let timing = Timing {
            response_us: 1_000 + rng.below(9_000),
            service_us: 100 + rng.below(900),
        };
        match rng.below(10) {
            0 => recorder.failed(transaction),
            1 => recorder.skipped(transaction),
            2 => recorder.rolled_back(transaction, timing),
            3 => {
                recorder.retried(transaction, Retry::Serialization);
                recorder.retried(transaction, Retry::Deadlock);
                recorder.committed(transaction, timing);
            }
            _ => recorder.committed(transaction, timing),
        }
        if transaction == TransactionType::Delivery {
            recorder.delivery_skipped_districts(2);
        }
    }
}

#[test]
fn every_started_transaction_ends_in_exactly_one_way() {
    let recorder = Recorder::new_boxed();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let recorder = &recorder;
            scope.spawn(move || work(recorder, worker, 5_000));
        }
    });
    let snapshot = recorder.snapshot();
    assert!(snapshot.is_balanced());
    let total = snapshot.total();
    let Counters {
        started,
        committed,
        rolled_back,
        failed,
        skipped,
        retries_serialization,
        retries_deadlock,
    } = total.counters;
    assert_eq!(started, 20_000);
    assert_eq!(started, committed + rolled_back + failed + skipped);
    assert!(failed > 0 && skipped > 0 && rolled_back > 0);
    assert_eq!(
        retries_serialization, retries_deadlock,
        "retries are counted apart"
    );
    assert_eq!(total.response.count(), committed + rolled_back);
    assert_eq!(total.service.count(), committed + rolled_back);
    let deliveries = snapshot.of(TransactionType::Delivery).counters.started;
    assert_eq!(snapshot.delivery_skipped_districts(), 2 * deliveries);
    let summary = snapshot.summary(&WORKLOAD, 30.0);
    assert_eq!(summary.total.counters, total.counters);
    assert_eq!(summary.transactions_per_minute, committed as f64 * 2.0);
    let shares: f64 = summary.types.iter().map(|t| t.share).sum();
    assert!((shares - 1.0).abs() < 1e-9);

    recorder.started(TransactionType::Payment);
    assert!(!recorder.snapshot().is_balanced(), "one is under way");
}

#[test]
fn only_committed_new_orders_count_as_throughput() {
    let recorder = Recorder::new_boxed();
    for _ in 0..4 {
        recorder.started(TransactionType::NewOrder);
    }
    recorder.committed(TransactionType::NewOrder, Timing::closed(10));
    recorder.rolled_back(TransactionType::NewOrder, Timing::closed(10));
    recorder.failed(TransactionType::NewOrder);
    recorder.skipped(TransactionType::NewOrder);
    let summary = recorder.snapshot().summary(&WORKLOAD, 60.0);
    assert_eq!(summary.new_orders_per_minute, Some(1.0));
    assert_eq!(summary.transactions_per_minute, 1.0);
    assert_eq!(
        recorder
            .snapshot()
            .summary(&WORKLOAD, 0.0)
            .new_orders_per_minute,
        Some(0.0)
    );
}

#[test]
fn a_difference_is_what_was_counted_in_between() {
    let recorder = Recorder::new_boxed();
    work(&recorder, 1, 3_000);
    let earlier = recorder.snapshot();
    work(&recorder, 2, 2_000);
    let later = recorder.snapshot();

    let alone = Recorder::new_boxed();
    work(&alone, 2, 2_000);
    let alone = alone.snapshot();
    let difference = later.since(&earlier);
    assert!(difference.is_balanced());
    for transaction in TransactionType::ALL {
        let (ours, wanted) = (difference.of(transaction), alone.of(transaction));
        assert_eq!(ours.counters, wanted.counters);
        assert_eq!(ours.response.counts(), wanted.response.counts());
        assert_eq!(ours.response.mean_us(), wanted.response.mean_us());
        for (approximate, exact) in [
            (ours.response.min_us(), wanted.response.min_us()),
            (ours.response.max_us(), wanted.response.max_us()),
        ] {
            assert!(approximate.abs_diff(exact) as f64 <= 0.001 * exact as f64);
        }
    }
    assert_eq!(later.since(&Snapshot::default()), later);
    assert_eq!(
        later.since(&later),
        Snapshot::default().since(&Snapshot::default())
    );

    let mut sum = earlier.clone();
    sum.merge(&alone);
    assert_eq!(sum, later);
}

#[test]
fn the_extremes_of_a_difference_are_its_own() {
    let mut earlier = HistogramSnapshot::default();
    earlier.record(100);
    earlier.record(50_000);
    let mut later = earlier.clone();
    later.record(3_000);
    let difference = later.since(&earlier);
    let slot = HistogramLayout::index_of(3_000);
    assert_eq!(difference.min_us(), HistogramLayout::lowest_us(slot));
    assert_eq!(difference.max_us(), HistogramLayout::highest_us(slot));
    later.record(7);
    later.record(70_001);
    let difference = later.since(&earlier);
    assert_eq!((difference.min_us(), difference.max_us()), (7, 70_001));
}

#[test]
fn a_transaction_under_way_belongs_to_the_interval_in_which_it_ends() {
    let recorder = Recorder::new_boxed();
    let payment = TransactionType::Payment;
    recorder.started(payment);
    recorder.failed(payment);
    recorder.started(payment);
    let ramp_up_end = recorder.snapshot();
    recorder.started(payment);
    recorder.committed(payment, Timing::closed(5));
    recorder.committed(payment, Timing::closed(6));
    let measured = recorder.snapshot().since(&ramp_up_end);
    assert!(measured.is_balanced());
    let counters = measured.of(payment).counters;
    assert_eq!(
        (counters.started, counters.committed, counters.failed),
        (2, 2, 0)
    );
}

#[test]
fn an_interval_has_the_counts_and_the_percentile_of_its_time_alone() {
    let recorders = [Recorder::new_boxed(), Recorder::new_boxed()];
    let read =
        |reader: &mut IntervalReader, at| reader.read(recorders.iter().map(AsRef::as_ref), at);
    let mut reader = IntervalReader::new();
    let nothing = read(&mut reader, 1.0);
    assert_eq!((nothing.total(), nothing.p95_us), (Counters::default(), 0));

    let mut earlier = Snapshot::default();
    for second in 2..5u32 {
        for recorder in &recorders {
            work(recorder, second.into(), 1_000 * u64::from(second));
        }
        let mut now = recorders[0].snapshot();
        now.merge(&recorders[1].snapshot());
        let since = now.since(&earlier).total();
        let interval = read(&mut reader, second.into());
        assert_eq!(interval.total(), since.counters);
        assert_eq!(interval.p95_us, since.response.value_at_quantile(0.95));
        assert_eq!((interval.end_s, interval.length_s), (second.into(), 1.0));
        let per_second = interval.transactions_per_second();
        assert_eq!(per_second, since.counters.committed as f64);
        earlier = now;
    }
}

#[test]
fn retries_have_their_sqlstates() {
    let payment = TransactionType::Payment.into();
    assert_eq!(Retry::of(b"40001", payment), Some(Retry::Serialization));
    assert_eq!(Retry::of(b"40P01", payment), Some(Retry::Deadlock));
    assert_eq!(Retry::of(b"23505", payment), None);
    // Two that delete and insert the same row.
    let read_write = workload::oltp::WORKLOAD.kind(0);
    assert_eq!(Retry::of(b"23505", read_write), Some(Retry::Serialization));
}

#[test]
fn the_recorder_is_zeroes_and_of_the_size_it_says() {
    let size = size_of::<Recorder>();
    assert!((2_700_000..2_800_000).contains(&size), "{size} bytes");
    assert_eq!(align_of::<Recorder>(), 8);
    assert_eq!(Recorder::new_boxed().snapshot(), Snapshot::default());
}
