//! Random numbers, strings and the standard's non-uniform distribution.
//!
//! Every sequence is keyed: the same (seed, stream, key) gives the same values on every machine and
//! in every version, whoever asks and in whatever order.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::text::Text;

/// What a sequence is for; sequences of different streams are independent of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stream {
    /// Rows of `item`.
    Item = 1,
    /// Rows of `warehouse`.
    Warehouse,
    /// Rows of `district`.
    District,
    /// Rows of `customer`.
    Customer,
    /// Rows of `history`.
    History,
    /// Rows of `orders`, the number of lines included.
    Orders,
    /// Rows of `order_line`.
    OrderLine,
    /// Rows of `stock`.
    Stock,
    /// The order in which the customers of a district have ordered.
    CustomerPermutation,
    /// The constants of NURand for the load.
    LoadConstants,
    /// The constants of NURand for a run.
    RunConstants,
    /// The transactions of a terminal.
    Terminal,
    /// Where the homes of fewer terminals than warehouses begin.
    Homes,
    /// Anything of the caller's own that is to follow from the seed, such as arrival or backoff times.
    Caller,
    /// Rows of sysbench's tables.
    Sbtest,
}

/// A keyed, value-stable random number generator (xoshiro256++).
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256PlusPlus);

/// The finalizer of SplitMix64: a bijection whose every output bit depends on every input bit.
const fn mix64(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seed and a stream, mixed once so that the key of a row costs little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamKey(u64);

impl StreamKey {
    pub(crate) const fn new(seed: i64, stream: Stream) -> StreamKey {
        let tag = (stream as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        StreamKey(mix64(
            mix64(seed as u64 ^ 0x7470_6363_5f70_6773).wrapping_add(tag),
        ))
    }

    /// The generator of one key. Two keys of a stream never share a state, because each step from
    /// key to state is a bijection.
    #[inline(always)]
    pub(crate) fn rng(self, key: u64) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(mix64(self.0 ^ key)))
    }
}

/// Packs the key of a row: the warehouse, the district and the id within it, below 2^24.
#[inline(always)]
pub(crate) const fn row_key(w_id: i32, d_id: i32, id: i32) -> u64 {
    ((w_id as u32 as u64) << 32) | ((d_id as u64) << 24) | id as u64
}

const ALPHANUMERIC: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// All pairs of letters and digits, so that one multiplication gives two characters.
static ALPHANUMERIC_PAIRS: [[u8; 2]; 62 * 62] = {
    let mut pairs = [[0; 2]; 62 * 62];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = [ALPHANUMERIC[i / 62], ALPHANUMERIC[i % 62]];
        i += 1;
    }
    pairs
};

impl Rng {
    /// The generator of a key in a stream of a seed.
    pub fn keyed(seed: i64, stream: Stream, key: u64) -> Rng {
        StreamKey::new(seed, stream).rng(key)
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number of `0..n`, each exactly as likely (Lemire's multiplication with rejection).
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there is no number below 0");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// The standard's random(x, y): a number of `low..=high`, each exactly as likely (clause 2.1.5).
    ///
    /// # Panics
    /// If `low` is more than `high`.
    #[inline(always)]
    pub fn uniform(&mut self, low: i32, high: i32) -> i32 {
        let count = i64::from(high) - i64::from(low) + 1;
        assert!(count > 0, "the range {low}..={high} is empty");
        (i64::from(low) + self.below(count as u64) as i64) as i32
    }

    /// True in `percent` of a hundred cases.
    #[inline(always)]
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// A number above 0 and up to 1, in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Fills with random letters and digits.
    ///
    /// A 64-bit draw is read as a fraction in base 62 * 62 and gives eight characters: 62^8 is below
    /// 2^48, so any string of eight is off its exact share by less than one in 2^16.
    #[inline(always)]
    pub fn fill_alphanumeric(&mut self, out: &mut [u8]) {
        let mut chunks = out.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&self.eight_alphanumeric());
        }
        let rest = chunks.into_remainder();
        if !rest.is_empty() {
            let eight = self.eight_alphanumeric();
            rest.copy_from_slice(&eight[..rest.len()]);
        }
    }

    #[inline(always)]
    fn eight_alphanumeric(&mut self) -> [u8; 8] {
        let mut fraction = self.next_u64();
        let mut eight = [0; 8];
        for pair in eight.chunks_exact_mut(2) {
            let product = u128::from(fraction) * (62 * 62);
            pair.copy_from_slice(&ALPHANUMERIC_PAIRS[(product >> 64) as usize]);
            fraction = product as u64;
        }
        eight
    }

    /// The standard's a-string: letters and digits of a random length (clause 4.3.2.2).
    ///
    /// # Panics
    /// If `min` is more than `max`, or `max` more than `N`.
    #[inline(always)]
    pub fn a_string<const N: usize>(&mut self, min: usize, max: usize) -> Text<N> {
        let len = if min == max {
            max
        } else {
            self.uniform(min as i32, max as i32) as usize
        };
        Text::filled(len, |out| self.fill_alphanumeric(out))
    }

    /// The standard's n-string: `len` random digits (clause 4.3.2.2).
    ///
    /// # Panics
    /// If `len` is more than `N`.
    #[inline]
    pub fn n_string<const N: usize>(&mut self, len: usize) -> Text<N> {
        Text::filled(len, |out| self.fill_from(out, b'0', 10))
    }

    /// `len` random capital letters, as for a state.
    ///
    /// # Panics
    /// If `len` is more than `N`.
    #[inline]
    pub fn letters<const N: usize>(&mut self, len: usize) -> Text<N> {
        Text::filled(len, |out| self.fill_from(out, b'A', 26))
    }

    /// Eight characters a draw out of `count` consecutive ones, which is at most 62.
    fn fill_from(&mut self, out: &mut [u8], first: u8, count: u8) {
        for chunk in out.chunks_mut(8) {
            let mut fraction = self.next_u64();
            for byte in chunk {
                let product = u128::from(fraction) * u128::from(count);
                *byte = first + (product >> 64) as u8;
                fraction = product as u64;
            }
        }
    }

    /// Puts the elements into a random order, each order exactly as likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for i in (1..elements.len()).rev() {
            elements.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// A of NURand for last names (clause 2.1.6).
pub const NURAND_A_C_LAST: i32 = 255;
/// A of NURand for customer ids (clause 2.1.6).
pub const NURAND_A_C_ID: i32 = 1023;
/// A of NURand for items (clause 2.1.6).
pub const NURAND_A_OL_I_ID: i32 = 8191;

/// The standard's non-uniform random number of `x..=y` (clause 2.1.6).
#[inline(always)]
pub fn nurand(rng: &mut Rng, a: i32, c: i32, x: i32, y: i32) -> i32 {
    let either = i64::from(rng.uniform(0, a) | rng.uniform(x, y));
    let span = i64::from(y) - i64::from(x) + 1;
    ((either + i64::from(c)) % span) as i32 + x
}

/// The constants C of NURand, one for each use, the same for all terminals of a run (clause 2.1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NurandConstants {
    /// C for last names, 0..=255.
    pub c_last: i32,
    /// C for customer ids, 0..=1023.
    pub c_id: i32,
    /// C for items, 0..=8191.
    pub ol_i_id: i32,
}

impl NurandConstants {
    /// The constants with which the population of a seed is made; `c_last` is C-load.
    pub fn load(seed: i64) -> NurandConstants {
        let mut rng = Rng::keyed(seed, Stream::LoadConstants, 0);
        NurandConstants {
            c_last: rng.uniform(0, NURAND_A_C_LAST),
            c_id: rng.uniform(0, NURAND_A_C_ID),
            ol_i_id: rng.uniform(0, NURAND_A_OL_I_ID),
        }
    }

    /// The constants of a run with a seed against data whose C-load is `c_last_load`; `c_last` is
    /// C-run and keeps its distance from C-load (clause 2.1.6.1).
    pub fn run(seed: i64, c_last_load: i32) -> NurandConstants {
        let mut rng = Rng::keyed(seed, Stream::RunConstants, 0);
        let c_last = loop {
            let candidate = rng.uniform(0, NURAND_A_C_LAST);
            if Self::run_distance_holds(candidate, c_last_load) {
                break candidate;
            }
        };
        NurandConstants {
            c_last,
            c_id: rng.uniform(0, NURAND_A_C_ID),
            ol_i_id: rng.uniform(0, NURAND_A_OL_I_ID),
        }
    }

    /// Whether C-run may stand beside C-load: 65 to 119 apart, but not 96 and not 112 (clause 2.1.6.1).
    pub const fn run_distance_holds(c_run: i32, c_load: i32) -> bool {
        let delta = (c_run - c_load).abs();
        65 <= delta && delta <= 119 && delta != 96 && delta != 112
    }
}
