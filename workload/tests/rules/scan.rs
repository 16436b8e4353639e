//! The scan: degrees, chunks, plans, speed-ups and the document.

use workload::result::FormatError;
use workload::scan::{
    CHUNK_ROWS, Chunks, FORMAT_NAME, FORMAT_VERSION, PlanError, Run, ScanConfig, ScanDocument,
    ScanServer, Span, Step, ladder, serial_share, with_serial,
};

#[test]
fn the_ladder_doubles_and_ends_where_it_should() {
    assert_eq!(ladder(0), [0]);
    assert_eq!(ladder(1), [0, 1]);
    assert_eq!(ladder(4), [0, 1, 2, 4]);
    assert_eq!(ladder(6), [0, 1, 2, 4, 6]);
    assert_eq!(ladder(1024).len(), 12);
    assert_eq!(with_serial(&[4, 2, 2]), [0, 2, 4]);
    assert_eq!(with_serial(&[0]), [0]);
}

fn span(first: i64, last: i64) -> Span {
    Span { first, last }
}

#[test]
fn what_is_missing_is_what_was_not_made() {
    let all = Chunks::missing(2 * CHUNK_ROWS + 5, &[]);
    let expected = [
        span(1, CHUNK_ROWS),
        span(CHUNK_ROWS + 1, 2 * CHUNK_ROWS),
        span(2 * CHUNK_ROWS + 1, 2 * CHUNK_ROWS + 5),
    ];
    assert_eq!(all.spans(), expected);
    assert_eq!(all.rows(), 2 * CHUNK_ROWS + 5);
    let made = [expected[2], expected[0]];
    assert_eq!(
        Chunks::missing(2 * CHUNK_ROWS + 5, &made).spans(),
        [expected[1]]
    );
    assert_eq!(Chunks::missing(2 * CHUNK_ROWS + 5, &expected).rows(), 0);
}

#[test]
fn a_table_grows_from_where_it_ended() {
    let grown = Chunks::missing(CHUNK_ROWS + 1, &[span(1, 30), span(31, 40)]);
    assert_eq!(
        grown.spans(),
        [span(41, CHUNK_ROWS), span(CHUNK_ROWS + 1, CHUNK_ROWS + 1)]
    );
    // Fewer rows than there are: nothing is missing.
    assert_eq!(Chunks::missing(10, &[span(1, 30)]).rows(), 0);
    assert_eq!(Chunks::missing(20, &[span(5, 8), span(30, 40)]).rows(), 16);
}

/// A plan as PostgreSQL writes it, without what is not read.
const PLAN: &str = r#"[{"Plan": {"Node Type": "Aggregate", "Shared Hit Blocks": 90, "Shared Read Blocks": 10,
    "Plans": [{"Node Type": "Gather", "Workers Planned": 2, "Workers Launched": 1,
        "Plans": [{"Node Type": "Aggregate", "Plans": [{"Node Type": "Seq Scan"}]}]}]},
    "Planning Time": 0.1, "Execution Time": 12.5}]"#;

#[test]
fn a_plan_tells_the_workers_that_were_there() {
    let run = Run::from_plan(PLAN).unwrap();
    let expected = Run {
        ms: 12.5,
        planned: 2,
        launched: 1,
        hit_blocks: 90,
        read_blocks: 10,
    };
    assert_eq!(run, expected);
    assert!(run.is_cold());
    let serial = PLAN.replace("Gather", "Materialize");
    let run = Run::from_plan(&serial).unwrap();
    assert_eq!((run.planned, run.launched), (0, 0));
}

#[test]
fn a_plan_that_was_not_executed_is_refused() {
    for (from, missing) in [
        ("Execution Time", "Execution Time"),
        ("Shared Read Blocks", "Shared Read Blocks"),
        ("Workers Launched", "Workers Launched"),
    ] {
        match Run::from_plan(&PLAN.replace(from, "x")) {
            Err(PlanError::Missing(name)) => assert_eq!(name, missing),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        Run::from_plan("nothing"),
        Err(PlanError::NotJson(_))
    ));
}

fn runs(launched: u32, times: &[f64]) -> Vec<Run> {
    let run = |ms: &f64| Run {
        ms: *ms,
        planned: launched,
        launched,
        hit_blocks: 1,
        read_blocks: 0,
    };
    times.iter().map(run).collect()
}

#[test]
fn a_speed_up_is_told_only_where_all_workers_were_there() {
    let serial = Step::new(0, runs(0, &[90.0, 300.0, 100.0]), None, true);
    assert_eq!((serial.median_ms, serial.speed_up), (100.0, Some(1.0)));
    let whole = Step::new(1, runs(1, &[49.0, 51.0]), Some(100.0), true);
    assert_eq!((whole.processes, whole.median_ms), (2, 50.0));
    assert_eq!((whole.speed_up, whole.efficiency), (Some(2.0), Some(1.0)));
    let short = Step::new(4, runs(3, &[25.0]), Some(100.0), true);
    assert_eq!((short.launched(), short.speed_up), (3, None));
    assert_eq!(short.efficiency, None);
    // Without the leader only the workers scan.
    assert_eq!(
        Step::new(2, runs(2, &[50.0]), Some(100.0), false).processes,
        2
    );
}

#[test]
fn the_serial_share_is_found_again() {
    for share in [0.0, 0.03, 0.5, 1.0] {
        let step = |degree: u32| {
            let processes = f64::from(degree + 1);
            let ms = 800.0 * (share + (1.0 - share) / processes);
            Step::new(degree, runs(degree, &[ms]), Some(800.0), true)
        };
        let steps: Vec<_> = [0, 1, 2, 4, 32].map(step).into();
        let found = serial_share(&steps).unwrap();
        assert!((found - share).abs() < 1e-9, "{found} instead of {share}");
    }
    let serial = Step::new(0, runs(0, &[800.0]), None, true);
    let short = Step::new(2, runs(1, &[500.0]), Some(800.0), true);
    assert_eq!(serial_share(&[serial, short]), None);
}

#[test]
fn a_document_is_read_again_and_others_are_refused() {
    let steps = vec![Step::new(0, runs(0, &[90.125]), None, true)];
    let document = ScanDocument {
        format: FORMAT_NAME.to_owned(),
        version: FORMAT_VERSION,
        written_by: "a test".to_owned(),
        started_at: "2026-01-01T00:00:00.000000Z".to_owned(),
        config: ScanConfig {
            schema: "tpcc_scan".to_owned(),
            degrees: vec![0, 1],
            runs: 1,
        },
        server: ScanServer {
            version: "18.1".to_owned(),
            max_worker_processes: 8,
            max_parallel_workers: 8,
            leader_participates: true,
            shared_buffers: "128MB".to_owned(),
            rows: 100,
            seed: -1,
            unlogged: true,
            bytes: 8192,
            matching: 6,
        },
        serial_share: serial_share(&steps),
        steps,
        partial_reason: Some("interrupted".to_owned()),
    };
    let text = document.to_json_pretty();
    assert!(ScanDocument::is_one(&text));
    assert_eq!(ScanDocument::parse(&text).unwrap(), document);
    assert!(!ScanDocument::is_one(&text[..text.len() / 2]));
    let parse =
        |from: &str, to: &str| ScanDocument::parse(&text.replacen(from, to, 1)).unwrap_err();
    assert!(matches!(
        parse("scan result", "result"),
        FormatError::OtherFormat(_)
    ));
    assert!(matches!(
        parse("\"version\": 1", "\"version\": 2"),
        FormatError::UnknownVersion(2)
    ));
    assert!(matches!(
        parse("median_ms", "x"),
        FormatError::NotADocument(_)
    ));
}
