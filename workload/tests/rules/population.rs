//! The initial population: every column's range and distribution, and that rows depend on their key
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use workload::tpcc::{Cents, LOAD_TIMESTAMP, NurandConstants, Population, Rate4, last_name};

use crate::statistics::{assert_follows, assert_share, assert_uniform};

fn population() -> Population {
    Population::new(1)
}

/// How often each number of `low..=high` comes up; any other fails.
fn counts(numbers: impl Iterator<Item = i64>, low: i64, high: i64) -> Vec<u64> {
    let mut counts = vec![0; (high - low + 1) as usize];
    for number in numbers {
        assert!(
            (low..=high).contains(&number),
            "{number} outside {low}..={high}"
        );
        counts[(number - low) as usize] += 1;
    }
    counts
}

fn is_alphanumeric(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[test]
fn items_are_as_clause_4_3_3_1_says() {
    let items: Vec<_> = population().items().collect();
    assert!(items.iter().zip(1..).all(|(item, i_id)| item.i_id == i_id));
    let images = counts(items.iter().map(|i| i.i_im_id.into()), 1, 10_000);
    assert_uniform("i_im_id", &images);
    let prices = counts(items.iter().map(|i| i.i_price.0), 100, 10_000);
    assert_uniform("i_price", &prices);
    assert!(
        items
            .iter()
            .all(|i| is_alphanumeric(i.i_name.as_str(), 14..=24))
    );
    assert_original("i_data", items.iter().map(|i| i.i_data.as_str()));
}

/// Asserts 26 to 50 characters, and ORIGINAL at any place in a tenth of the cases.
fn assert_original<'a>(what: &str, data: impl Iterator<Item = &'a str>) {
    let (mut cases, mut lengths, mut tenths) = (0, vec![0; 25], vec![0; 10]);
    for text in data {
        assert!(is_alphanumeric(text, 26..=50), "{what}: {text}");
        cases += 1;
        lengths[text.len() - 26] += 1;
        if let Some(at) = text.find("ORIGINAL") {
            tenths[at * 10 / (text.len() - 7)] += 1;
        }
    }
    assert_share(what, tenths.iter().sum(), cases, 0.1);
    assert_uniform(&format!("lengths of {what}"), &lengths);
    assert!(
        tenths[0] > 0 && tenths[9] > 0,
        "{what}: not at random places: {tenths:?}"
    );
}

#[test]
fn stock_is_as_clause_4_3_3_1_says() {
    let stock: Vec<_> = population().stock(1).collect();
    assert!(
        stock
            .iter()
            .zip(1..)
            .all(|(s, i)| (s.s_w_id, s.s_i_id) == (1, i))
    );
    let quantities = counts(stock.iter().map(|s| s.s_quantity.into()), 10, 100);
    assert_uniform("s_quantity", &quantities);
    assert!(
        stock
            .iter()
            .all(|s| (s.s_ytd, s.s_order_cnt, s.s_remote_cnt) == (0, 0, 0))
    );
    for s in &stock {
        assert!(
            s.s_dist
                .iter()
                .all(|dist| is_alphanumeric(dist.as_str(), 24..=24))
        );
        assert!(s.s_dist[1..].iter().all(|dist| *dist != s.s_dist[0]));
    }
    assert_original("s_data", stock.iter().map(|s| s.s_data.as_str()));
}

#[test]
fn warehouses_and_districts_are_as_clause_4_3_3_1_says() {
    let p = population();
    let mut taxes = Vec::new();
    let mut addresses = Vec::new();
    let mut names = Vec::new();
    for w in 1..=500 {
        let warehouse = p.warehouse(w);
        assert_eq!((warehouse.w_id, warehouse.w_ytd), (w, Cents(30_000_000)));
        taxes.push(warehouse.w_tax);
        names.push(warehouse.w_name);
        addresses.push(warehouse.address);
        for (district, d) in p.districts(w).zip(1..) {
            assert_eq!((district.d_w_id, district.d_id), (w, d));
            assert_eq!(
                (district.d_ytd, district.d_next_o_id),
                (Cents(3_000_000), 3_001)
            );
            taxes.push(district.d_tax);
            names.push(district.d_name);
            addresses.push(district.address);
        }
    }
    let taxes = counts(taxes.iter().map(|&Rate4(tax)| tax.into()), 0, 2_000);
    assert_uniform("tax", &taxes);
    assert!(
        names
            .iter()
            .all(|name| is_alphanumeric(name.as_str(), 6..=10))
    );
    for address in &addresses {
        for street in [address.street_1, address.street_2, address.city] {
            assert!(is_alphanumeric(street.as_str(), 10..=20));
        }
        assert!(address.state.as_bytes().iter().all(u8::is_ascii_uppercase));
        let (random, fixed) = address.zip.as_str().split_at(4);
        assert!(random.bytes().all(|b| b.is_ascii_digit()) && fixed == "11111");
    }
    let zips: BTreeSet<_> = addresses.iter().map(|a| a.zip.as_str()).collect();
    assert!(zips.len() > 3_000, "zips are random: {}", zips.len());
}

#[test]
fn customers_are_as_clause_4_3_3_1_says() {
    let p = population();
    let customers: Vec<_> = p.customers(1).collect();
    let ids = (1..=10).flat_map(|d| (1..=3_000).map(move |c| (1, d, c)));
    assert!(
        customers
            .iter()
            .map(|c| (c.c_w_id, c.c_d_id, c.c_id))
            .eq(ids)
    );
    for c in &customers {
        assert_eq!(
            (c.c_balance, c.c_ytd_payment),
            (Cents(-1_000), Cents(1_000))
        );
        assert_eq!((c.c_payment_cnt, c.c_delivery_cnt), (1, 0));
        assert_eq!(
            (c.c_credit_lim, c.c_since),
            (Cents(5_000_000), LOAD_TIMESTAMP)
        );
        assert_eq!(c.c_middle, "OE");
        assert!(c.c_credit == "GC" || c.c_credit == "BC");
        assert!(is_alphanumeric(c.c_first.as_str(), 8..=16));
        assert!(is_alphanumeric(c.c_data.as_str(), 300..=500));
        assert!(c.c_phone.len() == 16 && c.c_phone.as_str().bytes().all(|b| b.is_ascii_digit()));
    }
    let bad = customers.iter().filter(|c| c.c_credit == "BC").count();
    assert_share("bad credit", bad as u64, 30_000, 0.1);
    let discounts = counts(customers.iter().map(|c| c.c_discount.0.into()), 0, 5_000);
    assert_uniform("c_discount", &discounts);
    let lengths = counts(customers.iter().map(|c| c.c_data.len() as i64), 300, 500);
    assert_uniform("lengths of c_data", &lengths);
}

#[test]
fn last_names_are_made_of_syllables() {
    assert_eq!(last_name(371), "PRICALLYOUGHT");
    assert_eq!(last_name(0), "BARBARBAR");
    assert_eq!(last_name(999), "EINGEINGEING");
    assert_eq!(last_name(40), "BARPRESBAR");
    let names: BTreeSet<_> = (0..1_000).map(|n| last_name(n).to_string()).collect();
    assert_eq!(names.len(), 1_000);
    assert!(names.iter().all(|name| name.len() <= 16));
}

#[test]
fn the_first_thousand_last_names_are_in_turn_and_the_others_nonuniform() {
    let p = population();
    let numbers: BTreeMap<_, _> = (0..1_000usize)
        .map(|n| (last_name(n as i32).to_string(), n))
        .collect();
    let mut observed = vec![0u64; 1_000];
    for customer in p.customers(1) {
        let number = numbers[customer.c_last.as_str()];
        if customer.c_id <= 1_000 {
            assert_eq!(number as i32, customer.c_id - 1);
        } else {
            observed[number] += 1;
        }
    }
    let mut shares = vec![0.0; 1_000];
    assert_eq!(p.c_last_load(), NurandConstants::load(1).c_last);
    let c_load = p.c_last_load() as usize;
    for a in 0..=255 {
        for n in 0..1_000 {
            shares[((a | n) + c_load) % 1_000] += 1.0 / 256_000.0;
        }
    }
    assert_follows("c_last", &observed, shares.into_iter());
}

#[test]
fn each_customer_has_one_history_row() {
    let p = population();
    let ids = (1..=10).flat_map(|d| (1..=3_000).map(move |c| (d, c)));
    let history: Vec<_> = p.history(1).collect();
    assert!(history.iter().map(|h| (h.h_c_d_id, h.h_c_id)).eq(ids));
    for h in &history {
        assert_eq!((h.h_c_w_id, h.h_w_id, h.h_d_id), (1, 1, h.h_c_d_id));
        assert_eq!((h.h_amount, h.h_date), (Cents(1_000), LOAD_TIMESTAMP));
        assert!(is_alphanumeric(h.h_data.as_str(), 12..=24));
    }
}

#[test]
fn each_district_has_a_permutation_of_its_customers_of_its_own() {
    let p = population();
    let mut permutations = BTreeSet::new();
    for w in 1..=2 {
        let orders: Vec<_> = p.orders(w).collect();
        for d in 1..=10 {
            let customers: Vec<_> = orders
                .iter()
                .filter(|o| o.o_d_id == d)
                .map(|o| o.o_c_id)
                .collect();
            let sorted: BTreeSet<_> = customers.iter().copied().collect();
            assert!(sorted.into_iter().eq(1..=3_000), "all customers, once each");
            // A random permutation has one fixed point on average.
            let fixed = customers.iter().zip(1..).filter(|&(&c, o)| c == o).count();
            assert!(
                fixed < 10,
                "{fixed} orders of the customer of the same number"
            );
            assert!(permutations.insert(customers), "{w} {d} repeats another");
        }
    }
}

#[test]
fn orders_and_their_lines_are_as_clause_4_3_3_1_says() {
    let p = population();
    let orders: Vec<_> = p.orders(1).collect();
    let lines = orders.iter().map(|o| o.o_ol_cnt.into());
    assert_uniform("o_ol_cnt", &counts(lines, 5, 15));
    let carriers = orders.iter().filter_map(|o| o.o_carrier_id);
    assert_uniform("o_carrier_id", &counts(carriers.map(i64::from), 1, 10));
    for o in &orders {
        assert_eq!(
            (o.o_w_id, o.o_all_local, o.o_entry_d),
            (1, 1, LOAD_TIMESTAMP)
        );
        assert_eq!(o.o_carrier_id.is_some(), o.o_id < 2_101);
    }
    let mut lines = p.order_lines(1).peekable();
    let (mut items, mut amounts) = (vec![0u64; 100], vec![0u64; 100]);
    for o in &orders {
        for number in 1..=o.o_ol_cnt {
            let line = lines.next().expect("as many lines as o_ol_cnt says");
            assert_eq!(
                (line.ol_w_id, line.ol_d_id, line.ol_o_id),
                (1, o.o_d_id, o.o_id)
            );
            assert_eq!(
                (line.ol_number, line.ol_quantity, line.ol_supply_w_id),
                (number, 5, 1)
            );
            assert!(is_alphanumeric(line.ol_dist_info.as_str(), 24..=24));
            assert!((1..=100_000).contains(&line.ol_i_id));
            items[(line.ol_i_id - 1) as usize / 1_000] += 1;
            if o.o_id < 2_101 {
                assert_eq!(
                    (line.ol_amount, line.ol_delivery_d),
                    (Cents(0), Some(o.o_entry_d))
                );
            } else {
                assert!((1..=999_999).contains(&line.ol_amount.0));
                assert_eq!(line.ol_delivery_d, None);
                amounts[(line.ol_amount.0 / 10_000) as usize] += 1;
            }
        }
    }
    assert_eq!(lines.next(), None);
    assert_uniform("ol_i_id", &items);
    assert_uniform("ol_amount", &amounts);
    let open = orders.iter().filter(|o| o.o_carrier_id.is_none());
    let open = open.map(|o| (o.o_w_id, o.o_d_id, o.o_id));
    assert!(
        p.new_orders(1)
            .map(|n| (n.no_w_id, n.no_d_id, n.no_o_id))
            .eq(open)
    );
}

#[test]
fn a_row_depends_on_its_key_alone() {
    let p = population();
    let again = Population::new(1);
    assert_eq!(p.items().nth(4_711), Some(again.item(4_712)));
    assert_eq!(p.districts(7).nth(3), Some(again.district(7, 4)));
    assert_eq!(
        p.customers(7).nth(3_000 + 41),
        Some(again.customer(7, 2, 42))
    );
    assert_eq!(p.history(7).nth(41), Some(again.customer_history(7, 1, 42)));
    assert_eq!(p.orders(7).nth(2 * 3_000 + 8), Some(again.order(7, 3, 9)));
    assert_eq!(p.stock(7).nth(99_999), Some(again.stock_of(7, 100_000)));
    let lines = p
        .order_lines(7)
        .filter(|l| (l.ol_d_id, l.ol_o_id) == (1, 77));
    assert!(lines.eq(again.order_lines_of(7, 1, 77)));
    assert_eq!(
        again.order_line_count(7, 1, 77),
        again.order(7, 1, 77).o_ol_cnt
    );
}

#[test]
fn seeds_and_warehouses_have_rows_of_their_own() {
    let (one, two) = (Population::new(1), Population::new(2));
    assert_ne!(one.item(1), two.item(1));
    assert_ne!(one.customer(1, 1, 1).c_data, two.customer(1, 1, 1).c_data);
    assert_ne!(one.customer(1, 1, 1).c_data, one.customer(2, 1, 1).c_data);
    assert_ne!(one.stock_of(1, 1).s_dist, one.stock_of(2, 1).s_dist);
    assert_ne!(one.order_customers(1, 1), two.order_customers(1, 1));
    // The largest warehouse id works as any other.
    assert_eq!(one.stock_of(i32::MAX, 100_000).s_w_id, i32::MAX);
}
