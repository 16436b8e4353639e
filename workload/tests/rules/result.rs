//! The result document.

use workload::TransactionType;
use workload::result::{
    FORMAT_VERSION, Flavour, FormatError, Mode, ResultDocument, ResultSet, RunConfig, RunFacts,
    SeriesPoint, ServerInfo, Setting, TableSize, TpccConfig, merge, rfc3339,
};
use workload::stats::from_base64;
use workload::stats::{ErrorTally, IntervalReader, Recorder, Timing};
use workload::tpcc::{HomeWarehouse, Mix, NurandConstants};

fn document(partial_reason: Option<&str>) -> ResultDocument {
    let recorder = Recorder::new_boxed();
    for transaction in [TransactionType::NewOrder, TransactionType::Delivery] {
        recorder.started(transaction);
        recorder.committed(transaction, Timing::closed(1_500));
    }
    recorder.started(TransactionType::NewOrder);
    recorder.failed(TransactionType::NewOrder);
    recorder.delivery_skipped_districts(3);
    let interval = IntervalReader::new().read([&*recorder], 1.0);
    let mut errors = ErrorTally::new();
    errors.record("53200", "out of memory");
    let load = NurandConstants::load(1);
    let facts = RunFacts {
        written_by: "pg_tpcc 0.1.0".to_owned(),
        mode: Mode::Server,
        flavour: Flavour::Native,
        config: RunConfig {
            workload: "tpcc".to_owned(),
            schema: "My \"Schema\"".to_owned(),
            workers: 8,
            threads: None,
            duration_s: 60.0,
            ramp_up_s: 5.0,
            mix: Mix::STANDARD.to_string(),
            rate: Some(1_000.0),
            keying_thinking: false,
            isolation: "read committed".to_owned(),
            max_tries: 10,
            report_interval_s: 10.0,
            seed: -7,
            load_seed: Some(1),
            tpcc: Some(TpccConfig {
                warehouses: 10,
                home_warehouse: HomeWarehouse::Fixed,
                constants: NurandConstants::run(-7, load.c_last),
                c_last_load: load.c_last,
            }),
            parameters: Default::default(),
        },
        server: ServerInfo {
            version: "PostgreSQL 18.6".to_owned(),
            version_num: 180_006,
            settings: vec![Setting {
                name: "shared_buffers".to_owned(),
                value: "4GB".to_owned(),
                source: "configuration file".to_owned(),
            }],
            tables: vec![TableSize {
                name: "stock".to_owned(),
                table_bytes: 8_192,
                index_bytes: 16_384,
            }],
        },
        started_at: rfc3339(1_700_000_000_000_000),
        ended_at: rfc3339(1_700_000_060_000_000),
        elapsed_s: 60.0,
        partial_reason: partial_reason.map(str::to_owned),
        errors: errors.into_counts(),
        series: vec![SeriesPoint::new(&workload::tpcc::WORKLOAD, &interval)],
        client: None,
    };
    ResultDocument::new(facts, &recorder.snapshot())
}

#[test]
fn a_document_is_read_back_as_it_was() {
    for reason in [None, Some("stopped by tpcc_stop()")] {
        let document = document(reason);
        assert_eq!(document.partial, reason.is_some());
        assert_eq!(
            ResultDocument::parse(&document.to_json()).unwrap(),
            document
        );
        assert_eq!(
            ResultDocument::parse(&document.to_json_pretty()).unwrap(),
            document
        );
    }
}

#[test]
fn a_document_holds_what_was_counted() {
    let document = document(None);
    assert_eq!(document.new_orders_per_minute, Some(1.0));
    assert_eq!(document.transactions_per_minute, 2.0);
    assert!(document.accounting.balanced);
    assert_eq!(document.accounting.counters, document.total.counters);
    assert_eq!(document.accounting.counters.started, 3);
    assert_eq!(document.accounting.delivery_skipped_districts, 3);
    assert_eq!(
        document.series[0].committed[&TransactionType::Delivery.into()],
        1
    );
    assert_eq!(document.series[0].failed, 1);
    let with_times: Vec<_> = document.histograms.keys().copied().collect();
    assert_eq!(
        with_times,
        [TransactionType::NewOrder, TransactionType::Delivery].map(Into::into)
    );
    let texts = &document.histograms[&TransactionType::Delivery.into()];
    assert_eq!(from_base64(&texts.response).unwrap().max(), 1_500);
}

#[test]
fn documents_of_runs_at_the_same_time_add_up() {
    let one = document(None);
    let both = merge(vec![one.clone(), one.clone()]).unwrap();
    assert_eq!(both.headline().0, 2.0 * one.headline().0);
    assert_eq!(both.config.workers, 2 * one.config.workers);
    assert_eq!(both.total.response, one.total.response);
    assert_eq!(both.errors[0].count, 2 * one.errors[0].count);
    assert_eq!(
        both.series[0].committed[&TransactionType::Delivery.into()],
        2
    );
    assert!(both.accounting.balanced);
    assert_eq!(merge(vec![one.clone()]).unwrap(), one);
}

#[test]
fn the_json_has_the_names_that_readers_rely_on() {
    let json: serde_json::Value = serde_json::from_str(&document(None).to_json()).unwrap();
    assert_eq!(json["format"], "pg_tpcc result");
    assert_eq!(json["version"], 1);
    assert_eq!(json["mode"], "server");
    assert_eq!(json["flavour"], "native");
    assert_eq!(json["config"]["home_warehouse"], "fixed");
    assert_eq!(json["config"]["seed"], -7);
    assert_eq!(json["types"][0]["name"], "new_order");
    assert_eq!(json["types"][0]["committed"], 1);
    assert_eq!(json["types"][0]["response"]["p95_us"], 1_500);
    assert_eq!(json["total"]["name"], "total");
    assert_eq!(json["series"][0]["committed"]["new_order"], 1);
    assert_eq!(json["errors"][0]["sqlstate"], "53200");
    assert!(json["histograms"]["new_order"]["response"].is_string());
}

#[test]
fn another_version_is_refused_by_name() {
    let json = document(None).to_json();
    let newer = json.replacen("\"version\":1", "\"version\":2", 1);
    let error = ResultDocument::parse(&newer).unwrap_err();
    assert!(matches!(error, FormatError::UnknownVersion(2)), "{error}");
    let message = error.to_string();
    assert!(message.contains('2') && message.contains(&FORMAT_VERSION.to_string()));

    // A newer version is named even if the rest of it cannot be read.
    let unreadable = r#"{"format": "pg_tpcc result", "version": 3, "types": {}}"#;
    let error = ResultDocument::parse(unreadable).unwrap_err();
    assert!(matches!(error, FormatError::UnknownVersion(3)), "{error}");

    let other = json.replacen("pg_tpcc result", "pgbench", 1);
    let error = ResultDocument::parse(&other).unwrap_err();
    assert!(matches!(error, FormatError::OtherFormat(_)), "{error}");
    for text in ["", "[]", "{}", "{\"format\": 1}"] {
        assert!(matches!(
            ResultDocument::parse(text),
            Err(FormatError::NotADocument(_))
        ));
    }
}

#[test]
fn fields_of_a_later_program_are_passed_over() {
    let json = document(None).to_json();
    let more = json.replacen('{', "{\"host\":{\"cpus\":2},", 1);
    assert!(ResultDocument::parse(&more).is_ok());
}

#[test]
fn a_set_is_read_back_and_a_document_is_a_set_of_one() {
    let one = document(None);
    let set = ResultSet::new(vec![one.clone(), one.clone()]);
    assert_eq!(ResultSet::parse(&set.to_json_pretty()).unwrap(), set);
    assert_eq!(
        ResultSet::parse(&one.to_json()).unwrap().results,
        std::slice::from_ref(&one)
    );
    let json = set.to_json_pretty();
    let newer = json.replace("\"version\": 1", "\"version\": 2");
    assert!(matches!(
        ResultSet::parse(&newer),
        Err(FormatError::UnknownVersion(2))
    ));
    assert!(ResultSet::parse(&json[..json.len() / 2]).is_err());
    assert!(matches!(
        ResultDocument::parse(&json),
        Err(FormatError::OtherFormat(_))
    ));
}

#[test]
fn moments_are_rfc_3339() {
    assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000000Z");
    assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999999Z");
    assert_eq!(rfc3339(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
    assert_eq!(
        rfc3339(1_767_225_600_000_000),
        "2026-01-01T00:00:00.000000Z"
    );
    assert_eq!(
        rfc3339(1_735_689_599_123_456),
        "2024-12-31T23:59:59.123456Z"
    );
}
