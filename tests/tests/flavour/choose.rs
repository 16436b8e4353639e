//! Which flavour is taken.

use tests::Cluster;
use tpcc::flavour::{FlavourError, choose};
use workload::result::Flavour;

#[tokio::test]
async fn the_extension_is_taken_where_it_is_and_no_other_was_asked_for() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    for (asked, expected) in [
        (None, Flavour::Native),
        (Some(Flavour::Native), Flavour::Native),
        (Some(Flavour::Plpgsql), Flavour::Plpgsql),
    ] {
        assert_eq!(choose(&client, asked).await.unwrap(), expected, "{asked:?}");
    }
}

#[tokio::test]
async fn without_the_extension_plpgsql_is_taken_and_native_refused_with_what_to_do() {
    let database = Cluster::shared().fresh_empty_database().await;
    let client = database.connect().await;
    for asked in [None, Some(Flavour::Plpgsql)] {
        let chosen = choose(&client, asked).await.unwrap();
        assert_eq!(chosen, Flavour::Plpgsql, "{asked:?}");
    }
    let error = choose(&client, Some(Flavour::Native)).await.unwrap_err();
    assert!(matches!(error, FlavourError::NoExtension), "{error:?}");
    let message = error.to_string();
    for word in ["CREATE EXTENSION pg_tpcc", "--flavour plpgsql"] {
        assert!(message.contains(word), "{message}");
    }
}
