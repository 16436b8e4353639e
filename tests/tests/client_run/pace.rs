//! Due times, limits, and the figures of each second.

use super::*;

#[tokio::test]
async fn an_open_loop_keeps_its_rate_and_counts_from_the_due_time() {
    let database = loaded(1).await;
    let document = document(
        &database,
        "rate",
        &[
            "-R",
            "100",
            "--arrivals",
            "fixed",
            "-T",
            "3s",
            "-c",
            "4",
            "-P",
            "0",
        ],
    );
    let total = &document.total;
    assert!(
        (299..=301).contains(&total.counters.started),
        "{}",
        total.counters.started
    );
    assert!(total.response.mean_us >= total.service.mean_us);
    assert_eq!(
        document.client.unwrap().rate_distribution.as_deref(),
        Some("fixed")
    );
    discard(database).await;
}

#[tokio::test]
async fn what_is_due_and_too_late_is_skipped_and_accounted() {
    let database = loaded(1).await;
    let arguments = ["-R", "100000", "-L", "50", "-T", "2s", "-c", "2", "-P", "0"];
    let document = document(&database, "late", &arguments);
    let counters = document.total.counters;
    assert!(counters.skipped > 1_000, "{counters:?}");
    assert!(document.accounting.balanced);
    // All that were due in the time, whether or not they could be done.
    let due = counters.started as f64;
    assert!((190_000.0..210_000.0).contains(&due), "{due}");
    assert_eq!(
        document.client.unwrap().latency_limit.unwrap().limit_us,
        50_000
    );
    discard(database).await;
}

#[tokio::test]
async fn the_series_has_a_point_a_second_and_adds_up() {
    let database = loaded(1).await;
    let csv = file("series.csv");
    let arguments = [
        "-T",
        "3s",
        "-c",
        "2",
        "-P",
        "1s",
        "--csv",
        csv.to_str().unwrap(),
    ];
    let json = file("series");
    let mut command = tpcc(&database, &arguments);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended
        .is(0)
        .says(&["[ 1s ] thds: 2 tps:", "r/w/o", "reconn/s: 0.00"]);
    let document = read(&json).remove(0);
    assert_eq!(document.series.len(), 3);
    let committed: u64 = document
        .series
        .iter()
        .flat_map(|p| p.committed.values())
        .sum();
    let counters = document.total.counters;
    // What ends after the last point was taken belongs to the run, and to no second.
    assert!(committed <= counters.committed && committed + 10 >= counters.committed);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("mode,t_s,new_order,"), "{text}");
    std::fs::remove_file(&csv).unwrap();
    discard(database).await;
}
