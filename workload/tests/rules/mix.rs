//! The shares in which transaction types are drawn.

use workload::TransactionType;
use workload::tpcc::{Mix, MixError, MixKind, Rng, Stream};

fn shares(mix: Mix, draws: u32) -> [f64; TransactionType::COUNT] {
    let mut rng = Rng::keyed(1, Stream::Caller, 0);
    let mut drawer = mix.drawer();
    let mut counts = [0u32; TransactionType::COUNT];
    for _ in 0..draws {
        counts[drawer.next(&mut rng).index()] += 1;
    }
    counts.map(|count| f64::from(count) / f64::from(draws))
}

#[test]
fn both_kinds_keep_the_standards_shares() {
    for kind in [MixKind::Deck, MixKind::Weighted] {
        let mix = Mix::STANDARD.with_kind(kind);
        for (transaction, share) in TransactionType::ALL.into_iter().zip(shares(mix, 100_000)) {
            let wanted = mix.share(transaction);
            assert!(
                (share / wanted - 1.0).abs() < 0.01
                    || kind == MixKind::Weighted && (share - wanted).abs() < 0.003,
                "{kind:?} {transaction}: {share} and not {wanted}"
            );
        }
    }
}

#[test]
fn the_standard_mix_meets_the_minima_of_clause_5_2_3() {
    let minima = [0.0, 0.43, 0.04, 0.04, 0.04];
    for (transaction, minimum) in TransactionType::ALL.into_iter().zip(minima) {
        assert!(Mix::STANDARD.share(transaction) >= minimum, "{transaction}");
    }
}

#[test]
fn a_deck_keeps_its_shares_exactly_and_its_order_changes() {
    let mut rng = Rng::keyed(1, Stream::Caller, 1);
    let mut drawer = Mix::STANDARD.drawer();
    let decks: Vec<Vec<_>> = (0..3)
        .map(|_| (0..100).map(|_| drawer.next(&mut rng)).collect())
        .collect();
    for deck in &decks {
        let count = |t| deck.iter().filter(|&&d| d == t).count();
        assert_eq!(TransactionType::ALL.map(count), [45, 43, 4, 4, 4]);
    }
    assert_ne!(decks[0], decks[1]);
    assert_ne!(decks[1], decks[2]);
}

#[test]
fn texts_are_read_and_written_back() {
    for (text, back) in [
        ("standard", "standard"),
        (" deck:standard ", "standard"),
        ("weighted:standard", "weighted:standard"),
        ("new_order=100", "new_order=100"),
        (
            "new_order=45, payment=43,order_status=4,delivery=4,stock_level=4",
            "standard",
        ),
        ("payment = 1, new_order=2", "new_order=2,payment=1"),
        (
            "weighted:stock_level=7,delivery=0",
            "weighted:stock_level=7",
        ),
    ] {
        let mix: Mix = text.parse().unwrap();
        assert_eq!(mix.to_string(), back);
        assert_eq!(back.parse::<Mix>().unwrap(), mix, "{text}");
    }
    let only = Mix::only(TransactionType::Delivery);
    assert_eq!(only.to_string().parse::<Mix>().unwrap(), only);
    assert_eq!(shares(only, 10), [0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_mix_that_cannot_be_is_named() {
    let error = |text: &str| text.parse::<Mix>().unwrap_err();
    assert_eq!(error(""), MixError::NotAPair(String::new()));
    assert_eq!(error("tpcb"), MixError::NotAPair("tpcb".to_owned()));
    assert!(matches!(error("neworder=45"), MixError::UnknownType(_)));
    for weight in ["-1", "4.5", "many", "10001"] {
        let message = error(&format!("payment={weight}")).to_string();
        assert!(
            message.contains(weight) && message.contains("payment"),
            "{message}"
        );
    }
    assert_eq!(
        error("payment=1,payment=2"),
        MixError::Twice(TransactionType::Payment)
    );
    assert_eq!(error("payment=0"), MixError::Empty);
    assert_eq!(Mix::new(MixKind::Deck, [0; 5]), Err(MixError::Empty));
}
