//! The inputs of the transactions, and the terminals that key them in.

use std::collections::{BTreeMap, BTreeSet};

use workload::TransactionType;
use workload::tpcc::{
    CustomerSelector, DeliveryInput, HomeWarehouse, Input, Mix, NewOrderInput, NurandConstants,
    OrderStatusInput, PaymentInput, StockLevelInput, Terminal, TerminalConfig, UNUSED_ITEM_ID,
};

use crate::statistics::{assert_share, assert_uniform};

const CASES: u64 = 40_000;

fn config(terminal: u32, terminals: u32, warehouses: i32) -> TerminalConfig {
    TerminalConfig {
        seed: 1,
        terminal,
        terminals,
        warehouses,
        constants: NurandConstants::run(1, NurandConstants::load(1).c_last),
        mix: Mix::STANDARD,
        home: HomeWarehouse::Fixed,
    }
}

/// A terminal whose home is warehouse 3 of 5.
fn terminal() -> Terminal {
    Terminal::new(&config(2, 10, 5))
}

fn inputs<T>(transaction: TransactionType, take: impl Fn(Input) -> Option<T>) -> Vec<T> {
    let mut terminal = terminal();
    (0..CASES)
        .map(|_| take(terminal.input(transaction)).expect("the input of the type asked for"))
        .collect()
}

fn new_orders() -> Vec<NewOrderInput> {
    inputs(TransactionType::NewOrder, |input| match input {
        Input::NewOrder(input) => Some(input),
        _ => None,
    })
}

fn payments() -> Vec<PaymentInput> {
    inputs(TransactionType::Payment, |input| match input {
        Input::Payment(input) => Some(input),
        _ => None,
    })
}

fn by_name(customer: &CustomerSelector) -> bool {
    matches!(customer, CustomerSelector::ByLastName(_))
}

/// How often each number of `low..=high` comes up; any other fails.
fn counts(numbers: impl Iterator<Item = i32>, low: i32, high: i32) -> Vec<u64> {
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

fn count<T>(cases: &[T], is: impl Fn(&T) -> bool) -> u64 {
    cases.iter().filter(|case| is(case)).count() as u64
}

#[test]
fn new_orders_have_the_ranges_and_shares_of_clause_2_4_1() {
    let orders = new_orders();
    assert!(orders.iter().all(|o| o.w_id == 3));
    assert_uniform("d_id", &counts(orders.iter().map(|o| o.d_id), 1, 10));
    counts(orders.iter().map(|o| o.c_id), 1, 3_000);
    let lines = orders.iter().map(|o| o.lines.len() as i32);
    assert_uniform("lines", &counts(lines, 5, 15));
    let quantities = orders.iter().flat_map(|o| &o.lines).map(|l| l.quantity);
    assert_uniform("quantity", &counts(quantities, 1, 10));
}

#[test]
fn one_line_in_a_hundred_is_supplied_by_another_warehouse_and_never_home() {
    let orders = new_orders();
    let lines: Vec<_> = orders.iter().flat_map(|o| &o.lines).collect();
    let remote: Vec<_> = lines.iter().filter(|l| l.supply_w_id != 3).collect();
    assert_share(
        "remote lines",
        remote.len() as u64,
        lines.len() as u64,
        0.01,
    );
    let others = remote.iter().map(|l| l.supply_w_id);
    let others = counts(others, 1, 5);
    assert_uniform(
        "supplying warehouses",
        &[others[0], others[1], others[3], others[4]],
    );
    assert!(orders.iter().any(|o| !o.is_all_local()));
}

#[test]
fn one_order_in_a_hundred_ends_in_an_unused_item() {
    let orders = new_orders();
    let rolled_back = count(&orders, NewOrderInput::is_to_be_rolled_back);
    assert_share("orders to be rolled back", rolled_back, CASES, 0.01);
    for order in &orders {
        let (_, before) = order.lines.split_last().unwrap();
        counts(before.iter().map(|l| l.i_id), 1, 100_000);
        let last = order.lines[order.lines.len() - 1].i_id;
        assert!((1..=100_000).contains(&last) || last == UNUSED_ITEM_ID);
    }
}

#[test]
fn an_item_may_be_in_more_than_one_line() {
    let repeated = count(&new_orders(), |order| {
        let items: BTreeSet<_> = order.lines.iter().map(|l| l.i_id).collect();
        items.len() < order.lines.len()
    });
    assert!(repeated > 0);
}

#[test]
fn items_and_customers_are_not_uniform() {
    // Under NURand the most frequent tenth of the items has far more than a tenth of the lines.
    let mut items = vec![0u64; 100_001];
    for line in new_orders().iter().flat_map(|o| &o.lines) {
        if line.i_id <= 100_000 {
            items[line.i_id as usize] += 1;
        }
    }
    items.sort_unstable_by(|a, b| b.cmp(a));
    let top: u64 = items[..10_000].iter().sum();
    let all: u64 = items.iter().sum();
    assert!(top * 100 / all > 30, "{top} of {all}");
}

#[test]
fn payments_have_the_ranges_and_shares_of_clause_2_5_1() {
    let payments = payments();
    assert!(payments.iter().all(|p| p.w_id == 3));
    assert_uniform("d_id", &counts(payments.iter().map(|p| p.d_id), 1, 10));
    let remote: Vec<_> = payments.iter().filter(|p| p.c_w_id != 3).collect();
    assert_share("remote payments", remote.len() as u64, CASES, 0.15);
    let others = counts(remote.iter().map(|p| p.c_w_id), 1, 5);
    assert_uniform(
        "customers' warehouses",
        &[others[0], others[1], others[3], others[4]],
    );
    let districts = counts(remote.iter().map(|p| p.c_d_id), 1, 10);
    assert_uniform("customers' districts", &districts);
    let local = |p: &PaymentInput| p.c_w_id == 3;
    assert!(
        payments
            .iter()
            .filter(|p| local(p))
            .all(|p| p.c_d_id == p.d_id)
    );
    let named = count(&payments, |p| by_name(&p.customer));
    assert_share("payments by name", named, CASES, 0.6);
    let amounts: Vec<_> = payments.iter().map(|p| p.amount.0).collect();
    assert!(amounts.iter().all(|a| (100..=500_000).contains(a)));
    let mean = amounts.iter().sum::<i64>() as f64 / CASES as f64;
    assert!((mean / 250_050.0 - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn order_status_is_by_name_in_60_of_a_hundred_cases() {
    let inputs: Vec<OrderStatusInput> = inputs(TransactionType::OrderStatus, |input| match input {
        Input::OrderStatus(input) => Some(input),
        _ => None,
    });
    assert!(inputs.iter().all(|i| i.w_id == 3));
    assert_uniform("d_id", &counts(inputs.iter().map(|i| i.d_id), 1, 10));
    let named = count(&inputs, |i| by_name(&i.customer));
    assert_share("by name", named, CASES, 0.6);
    for input in &inputs {
        match input.customer {
            CustomerSelector::ById(id) => assert!((1..=3_000).contains(&id)),
            CustomerSelector::ByLastName(name) => assert!((9..=15).contains(&name.len())),
        }
        assert_ne!(
            input.customer.c_id().is_some(),
            input.customer.c_last().is_some()
        );
    }
}

#[test]
fn deliveries_and_stock_levels_have_their_ranges() {
    let deliveries: Vec<DeliveryInput> = inputs(TransactionType::Delivery, |input| match input {
        Input::Delivery(input) => Some(input),
        _ => None,
    });
    assert!(deliveries.iter().all(|d| d.w_id == 3));
    let carriers = deliveries.iter().map(|d| d.carrier_id);
    assert_uniform("carrier_id", &counts(carriers, 1, 10));

    let levels: Vec<StockLevelInput> = inputs(TransactionType::StockLevel, |input| match input {
        Input::StockLevel(input) => Some(input),
        _ => None,
    });
    let district = terminal().district();
    assert!(levels.iter().all(|l| l.w_id == 3 && l.d_id == district));
    let thresholds = levels.iter().map(|l| l.threshold);
    assert_uniform("threshold", &counts(thresholds, 10, 20));
}

#[test]
fn with_one_warehouse_nothing_is_remote() {
    let mut terminal = Terminal::new(&config(0, 1, 1));
    let mut districts = BTreeSet::new();
    for _ in 0..5_000 {
        match terminal.next_input() {
            Input::NewOrder(order) => assert!(order.is_all_local()),
            Input::Payment(payment) => {
                assert_eq!(payment.c_w_id, 1);
                districts.insert(payment.c_d_id != payment.d_id);
            }
            other => assert_eq!(other.w_id(), 1),
        }
    }
    // A customer of another district still comes to pay.
    assert_eq!(districts.len(), 2);
}

/// How many terminals each warehouse has.
fn homes(seed: i64, terminals: u32, warehouses: i32) -> BTreeMap<i32, u32> {
    let mut homes = BTreeMap::new();
    for i in 0..terminals {
        let mut config = config(i, terminals, warehouses);
        config.seed = seed;
        let home = Terminal::new(&config).home_warehouse().unwrap();
        assert!((1..=warehouses).contains(&home));
        *homes.entry(home).or_default() += 1;
    }
    homes
}

#[test]
fn terminals_spread_evenly_over_the_warehouses() {
    let whole = homes(1, 20, 5);
    assert!(whole.len() == 5 && whole.values().all(|&count| count == 4));
    let uneven = homes(1, 8, 5);
    assert!(uneven.len() == 5 && uneven.values().all(|&count| count == 1 || count == 2));
    assert_eq!(Terminal::new(&config(6, 8, 5)).home_warehouse(), Some(2));
}

#[test]
fn fewer_terminals_than_warehouses_stand_apart_and_none_is_favoured() {
    for (terminals, warehouses) in [(1, 10), (3, 10), (8, 100), (9, 10)] {
        let homes: Vec<i32> = homes(1, terminals, warehouses).into_keys().collect();
        assert_eq!(homes.len() as u32, terminals, "no two share a home");
        let gaps: Vec<_> = homes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let even = warehouses / terminals as i32;
        assert!(
            gaps.iter().all(|gap| (even..=even + 1).contains(gap)),
            "{homes:?}"
        );
    }
    let mut chosen = vec![0u64; 10];
    for seed in 0..2_000 {
        for home in homes(seed, 3, 10).into_keys() {
            chosen[home as usize - 1] += 1;
        }
    }
    assert_uniform("homes over many seeds", &chosen);
}

#[test]
fn the_terminals_of_a_warehouse_have_districts_of_their_own() {
    for warehouses in [1, 3, 9, 10] {
        let mut districts: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for i in 0..10 * warehouses as u32 {
            let terminal = Terminal::new(&config(i, 10 * warehouses as u32, warehouses));
            let home = terminal.home_warehouse().unwrap();
            districts
                .entry(home)
                .or_default()
                .insert(terminal.district());
        }
        assert!(
            districts.values().all(|own| own.len() == 10),
            "{districts:?}"
        );
    }
}

#[test]
fn a_uniform_home_reaches_every_warehouse() {
    let mut config = config(0, 1, 8);
    config.home = HomeWarehouse::Uniform;
    let mut terminal = Terminal::new(&config);
    assert_eq!(terminal.home_warehouse(), None);
    let homes = (0..20_000).map(|_| terminal.next_input().w_id());
    assert_uniform(
        "homes",
        &counts(homes.collect::<Vec<_>>().into_iter(), 1, 8),
    );
    for rule in [HomeWarehouse::Fixed, HomeWarehouse::Uniform] {
        assert_eq!(rule.name().parse(), Ok(rule));
    }
    assert!("random".parse::<HomeWarehouse>().is_err());
}

#[test]
fn a_terminal_repeats_itself_and_no_other() {
    let first_inputs = |i: u32, seed: i64| {
        let mut config = config(i, 10, 5);
        config.seed = seed;
        let mut terminal = Terminal::new(&config);
        (0..50).map(|_| terminal.next_input()).collect::<Vec<_>>()
    };
    assert_eq!(first_inputs(2, 1), first_inputs(2, 1));
    assert_ne!(first_inputs(2, 1), first_inputs(7, 1));
    assert_ne!(first_inputs(2, 1), first_inputs(2, 2));
}
