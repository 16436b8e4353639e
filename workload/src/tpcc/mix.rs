//! How often each transaction type is drawn (clause 5.2.3).

use std::fmt;
use std::str::FromStr;

use super::random::Rng;
use super::transaction::{TransactionType, UnknownTransactionType};

/// How the next type is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MixKind {
    /// From a shuffled deck with a card for each unit of weight, so that each terminal keeps the
    /// shares exactly over a deck (clause 5.2.4.2).
    Deck,
    /// Each draw by itself, with probabilities as the weights (clause 5.2.4.1).
    Weighted,
}

/// The largest weight of a type.
pub const MAX_WEIGHT: u32 = 10_000;

/// The shares of the five types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mix {
    kind: MixKind,
    weights: [u32; TransactionType::COUNT],
}

/// A mix that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// A part is not of the form type=weight.
    #[error(
        "\"{0}\" in the mix is not of the form type=weight (for example \"new_order=45,payment=55\", or \"standard\")"
    )]
    NotAPair(String),
    /// A type that is none of the five.
    #[error("in the mix: {0}")]
    UnknownType(#[from] UnknownTransactionType),
    /// A weight that is not a whole number in range.
    #[error(
        "the weight \"{weight}\" of {transaction} in the mix is not a whole number of 0 to {MAX_WEIGHT}"
    )]
    BadWeight {
        /// The type.
        transaction: TransactionType,
        /// The weight as written.
        weight: String,
    },
    /// A type that is named twice.
    #[error("the mix names {0} twice")]
    Twice(TransactionType),
    /// No type has a weight above 0.
    #[error("the mix has no transaction type with a weight above 0")]
    Empty,
}

impl Mix {
    /// The standard's shares: 45, 43, 4, 4 and 4 in a hundred, from a deck (clause 5.2.3).
    pub const STANDARD: Mix = Mix {
        kind: MixKind::Deck,
        weights: [45, 43, 4, 4, 4],
    };

    /// A mix of weights in the order of [`TransactionType::ALL`].
    ///
    /// # Errors
    /// [`MixError::Empty`] if all are 0, [`MixError::BadWeight`] if one is above [`MAX_WEIGHT`].
    pub fn new(kind: MixKind, weights: [u32; TransactionType::COUNT]) -> Result<Mix, MixError> {
        for transaction in TransactionType::ALL {
            let weight = weights[transaction.index()];
            if weight > MAX_WEIGHT {
                return Err(MixError::BadWeight {
                    transaction,
                    weight: weight.to_string(),
                });
            }
        }
        if weights.iter().all(|&w| w == 0) {
            return Err(MixError::Empty);
        }
        Ok(Mix { kind, weights })
    }

    /// Only one type.
    pub fn only(transaction: TransactionType) -> Mix {
        let mut weights = [0; TransactionType::COUNT];
        weights[transaction.index()] = 100;
        Mix {
            kind: MixKind::Deck,
            weights,
        }
    }

    /// How the next type is drawn.
    pub fn kind(&self) -> MixKind {
        self.kind
    }

    /// The same shares, drawn in another way.
    pub fn with_kind(self, kind: MixKind) -> Mix {
        Mix { kind, ..self }
    }

    /// The weights in the order of [`TransactionType::ALL`].
    pub fn weights(&self) -> [u32; TransactionType::COUNT] {
        self.weights
    }

    /// The share of a type, 0 to 1.
    pub fn share(&self, transaction: TransactionType) -> f64 {
        let total: u32 = self.weights.iter().sum();
        f64::from(self.weights[transaction.index()]) / f64::from(total)
    }

    /// Whether none of its transactions writes.
    pub fn is_read_only(&self) -> bool {
        [
            TransactionType::NewOrder,
            TransactionType::Payment,
            TransactionType::Delivery,
        ]
        .iter()
        .all(|transaction| self.weights[transaction.index()] == 0)
    }

    /// What draws types in these shares.
    pub fn drawer(&self) -> MixDrawer {
        let weights = self.smallest_weights();
        let draw = match self.kind {
            MixKind::Deck => {
                let cards = TransactionType::ALL.into_iter();
                let deck: Vec<_> = cards
                    .flat_map(|t| std::iter::repeat_n(t, weights[t.index()] as usize))
                    .collect();
                Draw::Deck {
                    next: deck.len(),
                    deck,
                }
            }
            MixKind::Weighted => {
                let mut sum = 0;
                Draw::Weighted(weights.map(|weight| {
                    sum += u64::from(weight);
                    sum
                }))
            }
        };
        MixDrawer { draw }
    }

    fn smallest_weights(&self) -> [u32; TransactionType::COUNT] {
        let divisor = self.weights.iter().fold(0, |a, &b| gcd(a, b)).max(1);
        self.weights.map(|weight| weight / divisor)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Default for Mix {
    fn default() -> Self {
        Mix::STANDARD
    }
}

impl FromStr for Mix {
    type Err = MixError;

    /// Reads "standard" or weights like "new_order=45,payment=55"; "weighted:" in front draws each by
    /// itself, "deck:" is the default. A type that is not named is not drawn; weights need not add up
    /// to 100.
    fn from_str(text: &str) -> Result<Mix, MixError> {
        let text = text.trim();
        let (kind, shares) = if let Some(rest) = text.strip_prefix("weighted:") {
            (MixKind::Weighted, rest)
        } else {
            (MixKind::Deck, text.strip_prefix("deck:").unwrap_or(text))
        };
        if shares.trim() == "standard" {
            return Ok(Mix::STANDARD.with_kind(kind));
        }
        let mut weights = [None; TransactionType::COUNT];
        for pair in shares.split(',') {
            let (name, weight) = pair
                .split_once('=')
                .ok_or_else(|| MixError::NotAPair(pair.trim().to_owned()))?;
            let transaction: TransactionType = name.trim().parse()?;
            let slot = &mut weights[transaction.index()];
            if slot.is_some() {
                return Err(MixError::Twice(transaction));
            }
            let weight = weight.trim();
            let number = weight.parse().ok().filter(|&n| n <= MAX_WEIGHT);
            *slot = Some(number.ok_or_else(|| MixError::BadWeight {
                transaction,
                weight: weight.to_owned(),
            })?);
        }
        Mix::new(kind, weights.map(Option::unwrap_or_default))
    }
}

impl fmt::Display for Mix {
    /// What [`Mix::from_str`] reads back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == MixKind::Weighted {
            f.write_str("weighted:")?;
        }
        if self.weights == Mix::STANDARD.weights {
            return f.write_str("standard");
        }
        let mut separator = "";
        for transaction in TransactionType::ALL {
            let weight = self.weights[transaction.index()];
            if weight > 0 {
                write!(f, "{separator}{transaction}={weight}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}

/// Draws transaction types in the shares of a mix; each terminal has its own.
#[derive(Debug, Clone)]
pub struct MixDrawer {
    draw: Draw,
}

#[derive(Debug, Clone)]
enum Draw {
    Deck {
        deck: Vec<TransactionType>,
        next: usize,
    },
    /// The running sums of the weights.
    Weighted([u64; TransactionType::COUNT]),
}

impl MixDrawer {
    /// The next type; a deck that is used up is shuffled again.
    pub fn next(&mut self, rng: &mut Rng) -> TransactionType {
        match &mut self.draw {
            Draw::Deck { deck, next } => {
                if *next == deck.len() {
                    rng.shuffle(deck);
                    *next = 0;
                }
                *next += 1;
                deck[*next - 1]
            }
            Draw::Weighted(sums) => {
                let drawn = rng.below(sums[TransactionType::COUNT - 1]);
                TransactionType::ALL[sums.partition_point(|&sum| sum <= drawn)]
            }
        }
    }
}
