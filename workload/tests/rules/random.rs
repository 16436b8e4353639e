//! Random numbers and strings, and NURand against its exact distribution.

use std::collections::HashSet;

use workload::tpcc::random::{NURAND_A_C_ID, NURAND_A_C_LAST, NURAND_A_OL_I_ID};
use workload::tpcc::{NurandConstants, Rng, Stream, Text, nurand};

use crate::statistics::{assert_follows, assert_share, assert_uniform};

fn rng(key: u64) -> Rng {
    Rng::keyed(1, Stream::Caller, key)
}

/// The shares of random(0, A) | random(x, y), counted over all pairs.
fn or_shares(a: usize, x: usize, y: usize) -> Vec<f64> {
    let bits = (a + 1).trailing_zeros();
    assert_eq!(
        a + 1,
        1 << bits,
        "A of NURand is one less than a power of 2"
    );
    let mut shares = vec![0.0; (y | a) + 1];
    // The high bits come from random(x, y) alone; of its low bits each subset is counted, and the
    // bits above it that random(0, A) sets are as likely as any.
    for high in (x >> bits)..=(y >> bits) {
        let mut low_counts = vec![0.0; a + 1];
        for (low, count) in low_counts.iter_mut().enumerate() {
            if (x..=y).contains(&(high << bits | low)) {
                *count = 1.0;
            }
        }
        // A step a bit: a bit that is 0 is set by random(0, A) in half the cases.
        for bit in 0..bits {
            for low in 0..=a {
                if low >> bit & 1 == 0 {
                    let half = low_counts[low] / 2.0;
                    low_counts[low] = half;
                    low_counts[low | 1 << bit] += half;
                }
            }
        }
        for (low, count) in low_counts.into_iter().enumerate() {
            shares[high << bits | low] += count / (y - x + 1) as f64;
        }
    }
    shares
}

fn nurand_shares(a: i32, c: i32, x: i32, y: i32) -> Vec<f64> {
    let span = (y - x + 1) as usize;
    let mut shares = vec![0.0; span];
    for (either, share) in or_shares(a as usize, x as usize, y as usize)
        .into_iter()
        .enumerate()
    {
        shares[(either + c as usize) % span] += share;
    }
    shares
}

#[test]
fn the_exact_distribution_agrees_with_counting_all_pairs() {
    let mut counted = [0.0; 64];
    for a in 0..=15usize {
        for b in 3..=40usize {
            counted[a | b] += 1.0 / (16.0 * 38.0);
        }
    }
    for (value, share) in or_shares(15, 3, 40).into_iter().enumerate() {
        assert!((share - counted[value]).abs() < 1e-12, "{value}");
    }
}

#[test]
fn nurand_follows_its_exact_distribution() {
    let constants = NurandConstants::run(1, NurandConstants::load(1).c_last);
    for (what, a, c, x, y, draws) in [
        ("c_last", NURAND_A_C_LAST, constants.c_last, 0, 999, 400_000),
        ("c_id", NURAND_A_C_ID, constants.c_id, 1, 3_000, 400_000),
        (
            "ol_i_id",
            NURAND_A_OL_I_ID,
            constants.ol_i_id,
            1,
            100_000,
            1_000_000,
        ),
    ] {
        let mut rng = rng(a as u64);
        let mut observed = vec![0; (y - x + 1) as usize];
        for _ in 0..draws {
            observed[(nurand(&mut rng, a, c, x, y) - x) as usize] += 1;
        }
        assert_follows(what, &observed, nurand_shares(a, c, x, y).into_iter());
    }
}

#[test]
fn constants_are_in_range_and_keep_the_distance_of_the_standard() {
    let mut deltas = HashSet::new();
    for seed in 0..2_000 {
        let load = NurandConstants::load(seed);
        let run = NurandConstants::run(seed, load.c_last);
        for constants in [load, run] {
            assert!((0..=255).contains(&constants.c_last));
            assert!((0..=1023).contains(&constants.c_id));
            assert!((0..=8191).contains(&constants.ol_i_id));
        }
        let delta = (run.c_last - load.c_last).abs();
        assert!(
            (65..=119).contains(&delta) && delta != 96 && delta != 112,
            "{delta}"
        );
        deltas.insert(delta);
    }
    assert_eq!(deltas.len(), 53, "every distance that is allowed comes up");
    for c_load in 0..=255 {
        NurandConstants::run(1, c_load);
    }
}

#[test]
fn uniform_reaches_both_ends_and_is_even() {
    let mut rng = rng(1);
    for (low, high) in [(1, 10), (0, 255), (-3, 3), (10, 100)] {
        let mut observed = vec![0; (high - low + 1) as usize];
        for _ in 0..100_000 {
            observed[(rng.uniform(low, high) - low) as usize] += 1;
        }
        assert!(observed.iter().all(|&count| count > 0));
        assert_uniform(&format!("{low}..={high}"), &observed);
    }
    assert_eq!(rng.uniform(7, 7), 7);
    let all = (0..1_000).map(|_| rng.uniform(i32::MIN, i32::MAX));
    let negative = all.filter(|&n| n < 0).count() as u64;
    assert_share("negative numbers", negative, 1_000, 0.5);
}

#[test]
fn letters_are_even_in_every_place_and_after_every_letter() {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let place_of = |byte: u8| LETTERS.iter().position(|&l| l == byte).unwrap();
    let mut rng = rng(2);
    let mut by_place = vec![[0u64; 62]; 24];
    let mut pairs = vec![0u64; 62 * 62];
    for _ in 0..20_000 {
        let text: Text<24> = rng.a_string(24, 24);
        let letters: Vec<_> = text.as_bytes().iter().map(|&b| place_of(b)).collect();
        for (place, &letter) in letters.iter().enumerate() {
            by_place[place][letter] += 1;
        }
        for pair in letters.windows(2) {
            pairs[pair[0] * 62 + pair[1]] += 1;
        }
    }
    for (place, observed) in by_place.iter().enumerate() {
        assert_uniform(&format!("letters in place {place}"), observed);
    }
    assert_uniform("pairs of neighbours", &pairs);
}

#[test]
fn strings_have_all_lengths_and_their_alphabet() {
    let mut rng = rng(3);
    let mut lengths = vec![0u64; 17];
    for _ in 0..20_000 {
        let text: Text<50> = rng.a_string(10, 26);
        lengths[text.len() - 10] += 1;
        assert!(text.as_bytes().iter().all(u8::is_ascii_alphanumeric));
    }
    assert_uniform("lengths", &lengths);
    let mut digits = vec![0u64; 10];
    let mut capitals = vec![0u64; 26];
    for _ in 0..5_000 {
        for byte in rng.n_string::<16>(16).as_bytes() {
            digits[usize::from(byte - b'0')] += 1;
        }
        for byte in rng.letters::<2>(2).as_bytes() {
            capitals[usize::from(byte - b'A')] += 1;
        }
    }
    assert_uniform("digits", &digits);
    assert_uniform("capitals", &capitals);
}

#[test]
fn sequences_of_different_seeds_streams_and_keys_differ() {
    let mut firsts = HashSet::new();
    for seed in [-1, 0, 1, 2, i64::MAX] {
        for stream in [Stream::Item, Stream::Stock, Stream::Terminal] {
            for key in 0..100 {
                assert!(firsts.insert(Rng::keyed(seed, stream, key).next_u64()));
            }
        }
    }
}

#[test]
fn unit_is_above_0_and_at_most_1() {
    let mut rng = rng(4);
    let draws: Vec<f64> = (0..10_000).map(|_| rng.unit()).collect();
    assert!(draws.iter().all(|&u| 0.0 < u && u <= 1.0));
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
}
