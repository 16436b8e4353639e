//! Arguments and results of the five functions, compared as the catalogue tells them.

use tests::{Cluster, small, sql};

#[tokio::test]
async fn both_flavours_have_the_same_arguments_and_results() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    tpcc::flavour::ensure(&client, "tpcc").await.unwrap();
    let of = async |schema: &str| {
        let signatures = format!(
            "SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), provolatile, proparallel, proisstrict,
                    prosecdef
             FROM pg_proc
             WHERE pronamespace = '{schema}'::regnamespace AND prokind = 'f'
               AND proname IN ('tpcc_new_order', 'tpcc_payment', 'tpcc_order_status', 'tpcc_delivery', 'tpcc_stock_level')
             ORDER BY proname"
        );
        sql::table(&client, &signatures).await
    };
    let native = of("public").await;
    assert_eq!(native.len(), 5);
    assert_eq!(of("tpcc").await, native);
}
