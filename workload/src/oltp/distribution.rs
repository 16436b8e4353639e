//! How sysbench's scripts draw ids: five distributions over 1 to n.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::tpcc::Rng;

/// A distribution, by the name that sysbench's `--rand-type` has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RandType {
    /// Every id as often as any other.
    Uniform,
    /// About the middle: the mean of `rand_spec_iter` uniform numbers.
    Gaussian,
    /// A part of the draws, `rand_spec_res` percent, falls into a band of `rand_spec_pct` percent of the ids about
    /// the middle, as the gaussian one falls into all; the others are uniform. sysbench's default.
    #[default]
    Special,
    /// The part `rand_pareto_h` of the ids gets all draws but this part, and so on within it: 0.2 is the rule of
    /// 80 to 20.
    Pareto,
    /// The id k is drawn in proportion to k to the power of minus `rand_zipfian_exp`.
    Zipfian,
}

impl RandType {
    /// All of them.
    pub const ALL: [RandType; 5] = [
        RandType::Uniform,
        RandType::Gaussian,
        RandType::Special,
        RandType::Pareto,
        RandType::Zipfian,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RandType::Uniform => "uniform",
            RandType::Gaussian => "gaussian",
            RandType::Special => "special",
            RandType::Pareto => "pareto",
            RandType::Zipfian => "zipfian",
        }
    }
}

impl FromStr for RandType {
    type Err = UnknownRandType;

    fn from_str(text: &str) -> Result<RandType, UnknownRandType> {
        let found = RandType::ALL.into_iter().find(|of| of.name() == text);
        found.ok_or_else(|| UnknownRandType(text.to_owned()))
    }
}

/// A text that names no distribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no distribution: uniform, gaussian, special, pareto or zipfian was expected")]
pub struct UnknownRandType(pub String);

impl fmt::Display for RandType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A distribution with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub(super) rand_type: RandType,
    pub(super) spec_iter: u32,
    pub(super) spec_pct: u32,
    pub(super) spec_res: u32,
    pub(super) pareto_h: f64,
    pub(super) zipfian_exp: f64,
}

/// Draws from 1 to n.
#[derive(Debug, Clone)]
pub(super) struct Sampler {
    shape: Shape,
    n: u64,
    pareto_power: f64,
    zipf: Option<Zipf>,
}

impl Sampler {
    pub(super) fn new(shape: Shape, n: u64) -> Sampler {
        let zipfian = shape.rand_type == RandType::Zipfian;
        Sampler {
            shape,
            n,
            pareto_power: shape.pareto_h.ln() / (1.0 - shape.pareto_h).ln(),
            zipf: zipfian.then(|| Zipf::new(n, shape.zipfian_exp)),
        }
    }

    /// The next number.
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        match self.shape.rand_type {
            RandType::Uniform => 1 + rng.below(self.n),
            RandType::Gaussian => self.in_band(rng, 0, self.n),
            RandType::Special if rng.percent(self.shape.spec_res) => {
                let width = (self.n * u64::from(self.shape.spec_pct) / 100).max(1);
                self.in_band(rng, (self.n - width) / 2, width)
            }
            RandType::Special => 1 + rng.below(self.n),
            RandType::Pareto => self.at(rng.unit().powf(self.pareto_power)),
            RandType::Zipfian => self.zipf.as_ref().map_or(1, |zipf| zipf.draw(rng)),
        }
    }

    /// The id at a part of the whole, 0 to 1.
    fn at(&self, part: f64) -> u64 {
        1 + ((part * self.n as f64) as u64).min(self.n - 1)
    }

    /// The mean of some uniform numbers over the `width` ids after `before`.
    fn in_band(&self, rng: &mut Rng, before: u64, width: u64) -> u64 {
        let iterations = self.shape.spec_iter;
        let sum: f64 = (0..iterations).map(|_| rng.unit()).sum();
        let part = sum / f64::from(iterations);
        before + 1 + ((part * width as f64) as u64).min(width - 1)
    }
}

/// Zipf's law by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", 1996): no table, and little more than one draw a number.
#[derive(Debug, Clone)]
struct Zipf {
    n: f64,
    exponent: f64,
    /// The integral up to 1.5, less the first column.
    low: f64,
    /// The integral up to n + 0.5.
    high: f64,
    /// What is taken without a look at the column's height.
    shortcut: f64,
}

impl Zipf {
    fn new(n: u64, exponent: f64) -> Zipf {
        let mut zipf = Zipf {
            n: n as f64,
            exponent,
            low: 0.0,
            high: 0.0,
            shortcut: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.n + 0.5);
        zipf.shortcut = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.height(2.0));
        zipf
    }

    fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.high + rng.unit() * (self.low - self.high);
            let x = self.inverse(u);
            let k = x.round().clamp(1.0, self.n);
            if k - x <= self.shortcut || u >= self.integral(k + 0.5) - self.height(k) {
                return k as u64;
            }
        }
    }

    /// x to the power of minus the exponent.
    fn height(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// The integral of the height from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let rest = 1.0 - self.exponent;
        if (rest * log).abs() < 1e-8 {
            log * (1.0 + rest * log / 2.0)
        } else {
            (rest * log).exp_m1() / rest
        }
    }

    /// The x of an integral.
    fn inverse(&self, y: f64) -> f64 {
        let rest = 1.0 - self.exponent;
        let product = (rest * y).max(-1.0);
        if product.abs() < 1e-8 {
            (y * (1.0 - product / 2.0)).exp()
        } else {
            (product.ln_1p() / rest).exp()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oltp::Knobs;
    use crate::tpcc::Stream;

    const DRAWS: usize = 200_000;

    fn draws(rand_type: RandType, n: u64) -> Vec<u64> {
        let knobs = Knobs {
            rand_type,
            ..Knobs::default()
        };
        let sampler = Sampler::new(knobs.shape(), n);
        let mut rng = Rng::keyed(7, Stream::Caller, 0);
        let drawn: Vec<_> = (0..DRAWS).map(|_| sampler.draw(&mut rng)).collect();
        assert!(drawn.iter().all(|id| (1..=n).contains(id)), "{rand_type}");
        drawn
    }

    fn share(drawn: &[u64], of: impl Fn(u64) -> bool) -> f64 {
        drawn.iter().filter(|id| of(**id)).count() as f64 / drawn.len() as f64
    }

    #[test]
    fn uniform_is_even_by_chi_square() {
        let drawn = draws(RandType::Uniform, 10);
        let expected = DRAWS as f64 / 10.0;
        let chi: f64 = (1..=10)
            .map(|id| drawn.iter().filter(|drawn| **drawn == id).count() as f64)
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        // 9 degrees of freedom: 21.7 is exceeded once in a hundred.
        assert!(chi < 21.7, "{chi}");
    }

    #[test]
    fn gaussian_has_the_mean_and_spread_of_twelve_uniforms() {
        let n = 100_000;
        let drawn = draws(RandType::Gaussian, n);
        let scaled: Vec<f64> = drawn.iter().map(|id| *id as f64 / n as f64).collect();
        let mean = scaled.iter().sum::<f64>() / DRAWS as f64;
        let variance = scaled.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        assert!((mean - 0.5).abs() < 0.001, "{mean}");
        // Of one uniform number it is 1/12.
        assert!((variance * 144.0 - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn three_quarters_of_the_special_ones_are_in_a_hundredth() {
        let n = 100_000;
        let drawn = draws(RandType::Special, n);
        let band = share(&drawn, |id| (49_501..=50_500).contains(&id));
        assert!((band - 0.7525).abs() < 0.005, "{band}");
        let below = share(&drawn, |id| id <= 49_500);
        assert!((below - 0.25 * 0.495).abs() < 0.005, "{below}");
    }

    #[test]
    fn a_fifth_of_the_ids_gets_four_fifths_of_paretos_draws() {
        let n = 100_000;
        let drawn = draws(RandType::Pareto, n);
        let first = share(&drawn, |id| id <= n / 5);
        assert!((first - 0.8).abs() < 0.005, "{first}");
        let first_of_first = share(&drawn, |id| id <= n / 25);
        assert!((first_of_first - 0.64).abs() < 0.005, "{first_of_first}");
    }

    #[test]
    fn zipfs_shares_are_those_of_his_law() {
        for n in [1, 2, 1_000] {
            let drawn = draws(RandType::Zipfian, n);
            let weight = |id: u64| (id as f64).powf(-0.8);
            let sum: f64 = (1..=n).map(weight).sum();
            for id in [1, 2, 10, 500].into_iter().filter(|id| *id <= n) {
                let (found, expected) = (share(&drawn, |drawn| drawn == id), weight(id) / sum);
                let sigma = (expected / DRAWS as f64).sqrt();
                assert!(
                    (found - expected).abs() < 4.0 * sigma,
                    "{n}: {id}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn the_exponent_of_one_is_no_gap() {
        for exponent in [0.0, 0.999_999_999, 1.0, 2.5] {
            let zipf = Zipf::new(1_000, exponent);
            for x in [1.0, 1.5, 10.0, 1_000.5] {
                let back = zipf.inverse(zipf.integral(x));
                assert!((back / x - 1.0).abs() < 1e-6, "{exponent} {x} {back}");
            }
        }
    }
}
