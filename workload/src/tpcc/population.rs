//! The rows of the initial population (clause 4.3.3.1), each from its seed and key alone.
//!
//! No row depends on one generated before it, so any number of loaders and any row source give the
//! same data. Rows live on the stack: generating one allocates nothing.

use super::random::{NURAND_A_C_LAST, NurandConstants, Rng, Stream, StreamKey, nurand, row_key};
use super::rows::{
    Address, Customer, District, History, Item, NewOrder, Order, OrderLine, Stock, Warehouse,
};
use super::table::{Cents, Rate4, Timestamp};
use super::text::Text;
use super::{
    CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, FIRST_UNDELIVERED_ORDER, ITEMS,
    MAX_ORDER_LINES, MIN_ORDER_LINES, ORDERS_PER_DISTRICT,
};

/// When the population says it was made: 2026-01-01 00:00:00 UTC, a constant so that the generators
/// depend on nothing but their arguments.
pub const LOAD_TIMESTAMP: Timestamp = Timestamp(820_540_800_000_000);

const SYLLABLES: [&[u8]; 10] = [
    b"BAR", b"OUGHT", b"ABLE", b"PRI", b"PRES", b"ESE", b"ANTI", b"CALLY", b"ATION", b"EING",
];

/// The last name of a number of 0..=999: a syllable for each of its three digits (clause 4.3.2.3).
///
/// # Panics
/// If the number is outside 0..=999.
#[inline]
pub fn last_name(number: i32) -> Text<16> {
    assert!(
        (0..1000).contains(&number),
        "no last name has the number {number}"
    );
    let number = number as usize;
    let mut name = Text::EMPTY;
    for digit in [number / 100, number / 10 % 10, number % 10] {
        name.extend(SYLLABLES[digit]);
    }
    name
}

/// The initial population of a seed.
#[derive(Debug, Clone, Copy)]
pub struct Population {
    seed: i64,
    c_last_load: i32,
    item: StreamKey,
    warehouse: StreamKey,
    district: StreamKey,
    customer: StreamKey,
    history: StreamKey,
    orders: StreamKey,
    order_line: StreamKey,
    stock: StreamKey,
}

impl Population {
    /// The population of a seed.
    pub fn new(seed: i64) -> Population {
        let key = |stream| StreamKey::new(seed, stream);
        Population {
            seed,
            c_last_load: NurandConstants::load(seed).c_last,
            item: key(Stream::Item),
            warehouse: key(Stream::Warehouse),
            district: key(Stream::District),
            customer: key(Stream::Customer),
            history: key(Stream::History),
            orders: key(Stream::Orders),
            order_line: key(Stream::OrderLine),
            stock: key(Stream::Stock),
        }
    }

    /// The seed it was made from.
    pub fn seed(&self) -> i64 {
        self.seed
    }

    /// C-load: the constant of NURand with which the last names were made (clause 2.1.6.1).
    pub fn c_last_load(&self) -> i32 {
        self.c_last_load
    }

    /// The item of an id.
    #[inline]
    pub fn item(&self, i_id: i32) -> Item {
        let mut rng = self.item.rng(row_key(0, 0, i_id));
        Item {
            i_id,
            i_im_id: rng.uniform(1, 10_000),
            i_price: Cents(i64::from(rng.uniform(100, 10_000))),
            i_name: rng.a_string(14, 24),
            i_data: data_maybe_original(&mut rng),
        }
    }

    /// All items by id.
    pub fn items(&self) -> impl ExactSizeIterator<Item = Item> + Clone + Send + use<> {
        let population = *self;
        ids(ITEMS).map(move |i_id| population.item(i_id))
    }

    /// The row of a warehouse.
    pub fn warehouse(&self, w_id: i32) -> Warehouse {
        let mut rng = self.warehouse.rng(row_key(w_id, 0, 0));
        Warehouse {
            w_id,
            w_ytd: Cents(30_000_000),
            w_tax: Rate4(rng.uniform(0, 2_000)),
            w_name: rng.a_string(6, 10),
            address: address(&mut rng),
        }
    }

    /// A district of a warehouse.
    pub fn district(&self, w_id: i32, d_id: i32) -> District {
        let mut rng = self.district.rng(row_key(w_id, d_id, 0));
        District {
            d_w_id: w_id,
            d_id,
            d_next_o_id: ORDERS_PER_DISTRICT + 1,
            d_ytd: Cents(3_000_000),
            d_tax: Rate4(rng.uniform(0, 2_000)),
            d_name: rng.a_string(6, 10),
            address: address(&mut rng),
        }
    }

    /// The ten districts of a warehouse.
    pub fn districts(
        &self,
        w_id: i32,
    ) -> impl ExactSizeIterator<Item = District> + Clone + Send + use<> {
        let population = *self;
        ids(DISTRICTS_PER_WAREHOUSE).map(move |d_id| population.district(w_id, d_id))
    }

    /// A customer of a district.
    #[inline]
    pub fn customer(&self, w_id: i32, d_id: i32, c_id: i32) -> Customer {
        let mut rng = self.customer.rng(row_key(w_id, d_id, c_id));
        let name_number = if c_id <= 1_000 {
            c_id - 1
        } else {
            nurand(&mut rng, NURAND_A_C_LAST, self.c_last_load, 0, 999)
        };
        let bad_credit = rng.percent(10);
        Customer {
            c_w_id: w_id,
            c_d_id: d_id,
            c_id,
            c_since: LOAD_TIMESTAMP,
            c_payment_cnt: 1,
            c_delivery_cnt: 0,
            c_credit_lim: Cents(5_000_000),
            c_discount: Rate4(rng.uniform(0, 5_000)),
            c_balance: Cents(-1_000),
            c_ytd_payment: Cents(1_000),
            c_credit: fixed(if bad_credit { b"BC" } else { b"GC" }),
            c_middle: fixed(b"OE"),
            c_first: rng.a_string(8, 16),
            c_last: last_name(name_number),
            address: address(&mut rng),
            c_phone: rng.n_string(16),
            c_data: rng.a_string(300, 500),
        }
    }

    /// All customers of a warehouse, by district and id.
    pub fn customers(&self, w_id: i32) -> impl Iterator<Item = Customer> + Clone + Send + use<> {
        let population = *self;
        by_district(CUSTOMERS_PER_DISTRICT)
            .map(move |(d_id, c_id)| population.customer(w_id, d_id, c_id))
    }

    /// The one history row of a customer, a payment to the customer's own district.
    #[inline]
    pub fn customer_history(&self, w_id: i32, d_id: i32, c_id: i32) -> History {
        let mut rng = self.history.rng(row_key(w_id, d_id, c_id));
        History {
            h_date: LOAD_TIMESTAMP,
            h_c_id: c_id,
            h_c_w_id: w_id,
            h_c_d_id: d_id,
            h_w_id: w_id,
            h_d_id: d_id,
            h_amount: Cents(1_000),
            h_data: rng.a_string(12, 24),
        }
    }

    /// All history of a warehouse, by district and customer.
    pub fn history(&self, w_id: i32) -> impl Iterator<Item = History> + Clone + Send + use<> {
        let population = *self;
        by_district(CUSTOMERS_PER_DISTRICT)
            .map(move |(d_id, c_id)| population.customer_history(w_id, d_id, c_id))
    }

    /// Which customer placed each order of a district: element `o_id - 1` is o_c_id. Each district has
    /// a random permutation of its own.
    pub fn order_customers(&self, w_id: i32, d_id: i32) -> [u16; ORDERS_PER_DISTRICT as usize] {
        let mut rng = Rng::keyed(
            self.seed,
            Stream::CustomerPermutation,
            row_key(w_id, d_id, 0),
        );
        let mut customers = std::array::from_fn(|i| i as u16 + 1);
        rng.shuffle(&mut customers);
        customers
    }

    /// An order of a district. Takes the time of a whole permutation; to walk through many, use
    /// [`Population::orders`].
    pub fn order(&self, w_id: i32, d_id: i32, o_id: i32) -> Order {
        let o_c_id = self.order_customers(w_id, d_id)[o_id as usize - 1];
        self.order_of(w_id, d_id, o_id, i32::from(o_c_id))
    }

    #[inline]
    fn order_of(&self, w_id: i32, d_id: i32, o_id: i32, o_c_id: i32) -> Order {
        let mut rng = self.orders.rng(row_key(w_id, d_id, o_id));
        let o_ol_cnt = draw_order_lines(&mut rng);
        let delivered = o_id < FIRST_UNDELIVERED_ORDER;
        Order {
            o_entry_d: LOAD_TIMESTAMP,
            o_id,
            o_w_id: w_id,
            o_d_id: d_id,
            o_c_id,
            o_ol_cnt,
            o_all_local: 1,
            o_carrier_id: delivered.then(|| rng.uniform(1, 10)),
        }
    }

    /// All orders of a warehouse, by district and id.
    pub fn orders(&self, w_id: i32) -> impl Iterator<Item = Order> + Clone + Send + use<> {
        let population = *self;
        ids(DISTRICTS_PER_WAREHOUSE).flat_map(move |d_id| {
            let customers = population.order_customers(w_id, d_id);
            ids(ORDERS_PER_DISTRICT).map(move |o_id| {
                let o_c_id = i32::from(customers[o_id as usize - 1]);
                population.order_of(w_id, d_id, o_id, o_c_id)
            })
        })
    }

    /// The orders of a warehouse that are not delivered yet, by district and id.
    pub fn new_orders(&self, w_id: i32) -> impl Iterator<Item = NewOrder> + Clone + Send + use<> {
        ids(DISTRICTS_PER_WAREHOUSE).flat_map(move |d_id| {
            (FIRST_UNDELIVERED_ORDER..ORDERS_PER_DISTRICT + 1).map(move |o_id| NewOrder {
                no_w_id: w_id,
                no_d_id: d_id,
                no_o_id: o_id,
            })
        })
    }

    /// The lines an order has, 5..=15: its o_ol_cnt.
    #[inline]
    pub fn order_line_count(&self, w_id: i32, d_id: i32, o_id: i32) -> i32 {
        draw_order_lines(&mut self.orders.rng(row_key(w_id, d_id, o_id)))
    }

    /// How many order lines a warehouse has, exactly.
    pub fn order_line_total(&self, w_id: i32) -> u64 {
        by_district(ORDERS_PER_DISTRICT)
            .map(|(d_id, o_id)| self.order_line_count(w_id, d_id, o_id) as u64)
            .sum()
    }

    /// The lines of an order.
    #[inline]
    pub fn order_lines_of(
        &self,
        w_id: i32,
        d_id: i32,
        o_id: i32,
    ) -> impl ExactSizeIterator<Item = OrderLine> + Clone + Send + use<> {
        let mut rng = self.order_line.rng(row_key(w_id, d_id, o_id));
        let delivered = o_id < FIRST_UNDELIVERED_ORDER;
        ids(self.order_line_count(w_id, d_id, o_id)).map(move |ol_number| OrderLine {
            ol_o_id: o_id,
            ol_w_id: w_id,
            ol_d_id: d_id,
            ol_number,
            ol_i_id: rng.uniform(1, ITEMS),
            ol_supply_w_id: w_id,
            ol_quantity: 5,
            ol_delivery_d: delivered.then_some(LOAD_TIMESTAMP),
            ol_amount: if delivered {
                Cents(0)
            } else {
                Cents(i64::from(rng.uniform(1, 999_999)))
            },
            ol_dist_info: rng.a_string(24, 24),
        })
    }

    /// All order lines of a warehouse, by district, order and number.
    pub fn order_lines(&self, w_id: i32) -> impl Iterator<Item = OrderLine> + Clone + Send + use<> {
        let population = *self;
        by_district(ORDERS_PER_DISTRICT)
            .flat_map(move |(d_id, o_id)| population.order_lines_of(w_id, d_id, o_id))
    }

    /// The stock of an item in a warehouse.
    #[inline]
    pub fn stock_of(&self, w_id: i32, i_id: i32) -> Stock {
        let mut rng = self.stock.rng(row_key(w_id, 0, i_id));
        Stock {
            s_w_id: w_id,
            s_i_id: i_id,
            s_ytd: 0,
            s_order_cnt: 0,
            s_remote_cnt: 0,
            s_quantity: rng.uniform(10, 100),
            s_dist: std::array::from_fn(|_| rng.a_string(24, 24)),
            s_data: data_maybe_original(&mut rng),
        }
    }

    /// All stock of a warehouse, by item.
    pub fn stock(&self, w_id: i32) -> impl ExactSizeIterator<Item = Stock> + Clone + Send + use<> {
        let population = *self;
        ids(ITEMS).map(move |i_id| population.stock_of(w_id, i_id))
    }
}

/// 1..=count; a half-open range, because an inclusive one is slower to step.
#[inline]
fn ids(count: i32) -> std::ops::Range<i32> {
    1..count + 1
}

/// (district, id) in order, ids 1..=count in each of the ten districts.
fn by_district(count: i32) -> impl Iterator<Item = (i32, i32)> + Clone + Send {
    ids(DISTRICTS_PER_WAREHOUSE).flat_map(move |d_id| ids(count).map(move |id| (d_id, id)))
}

/// The first draw of an order's sequence, so that orders and order_line agree on it.
#[inline]
fn draw_order_lines(rng: &mut Rng) -> i32 {
    rng.uniform(MIN_ORDER_LINES, MAX_ORDER_LINES)
}

fn fixed<const N: usize>(bytes: &[u8; N]) -> Text<N> {
    Text::filled(N, |out| out.copy_from_slice(bytes))
}

#[inline]
fn address(rng: &mut Rng) -> Address {
    Address {
        street_1: rng.a_string(10, 20),
        street_2: rng.a_string(10, 20),
        city: rng.a_string(10, 20),
        state: rng.letters(2),
        zip: {
            let mut zip: Text<9> = rng.n_string(4);
            zip.extend(b"11111");
            zip
        },
    }
}

/// i_data and s_data: a tenth of the rows hold ORIGINAL at a random place (clause 4.3.3.1).
#[inline]
fn data_maybe_original(rng: &mut Rng) -> Text<50> {
    const ORIGINAL: &[u8] = b"ORIGINAL";
    let mut data: Text<50> = rng.a_string(26, 50);
    if rng.percent(10) {
        let at = rng.uniform(0, (data.len() - ORIGINAL.len()) as i32) as usize;
        data.bytes_mut()[at..at + ORIGINAL.len()].copy_from_slice(ORIGINAL);
    }
    data
}
