//! What a terminal of sysbench's scripts sends.

use super::distribution::Sampler;
use super::{
    APPEND, DELETE, DISTINCT_RANGE, IN_LIST, IN_LIST_SELECT, INDEX_UPDATE, INSERT,
    NON_INDEX_UPDATE, ORDER_RANGE, Oltp, POINT_SELECT, SIMPLE_RANGE, SUM_RANGE, Variant, WORKLOAD,
    rows,
};
use crate::script::{Step, Terminal, Transaction, Value};
use crate::tpcc::{Rng, Stream};

/// One who runs a script.
#[derive(Debug)]
pub(super) struct OltpTerminal {
    rng: Rng,
    ids: Sampler,
    oltp: Oltp,
}

impl OltpTerminal {
    /// The terminal of a number: what it sends follows from the seed.
    pub(super) fn new(oltp: &Oltp, seed: i64, terminal: u32) -> OltpTerminal {
        OltpTerminal {
            rng: Rng::keyed(seed, Stream::Terminal, u64::from(terminal)),
            ids: Sampler::new(oltp.knobs.shape(), oltp.table_size as u64),
            oltp: oltp.clone(),
        }
    }

    fn id(&mut self) -> i32 {
        self.ids.draw(&mut self.rng) as i32
    }

    /// The statements of one knob: one table for all of them, as sysbench has it.
    fn some(
        &mut self,
        steps: &mut Vec<Step>,
        count: u32,
        mut make: impl FnMut(&mut OltpTerminal) -> Vec<(usize, Vec<Value>)>,
    ) {
        if count == 0 {
            return;
        }
        let table = self.rng.below(u64::from(self.oltp.tables)) as usize;
        for _ in 0..count {
            let made = make(self).into_iter().map(|(statement, values)| Step {
                statement,
                table,
                values,
            });
            steps.extend(made);
        }
    }

    fn reads(&mut self, steps: &mut Vec<Step>) {
        let knobs = self.oltp.knobs;
        self.some(steps, knobs.point_selects, |from| {
            vec![(POINT_SELECT, vec![int(from.id())])]
        });
        self.some(steps, knobs.in_lists, |from| {
            let ids = (0..IN_LIST).map(|_| from.id()).collect();
            vec![(IN_LIST_SELECT, vec![Value::Ints(ids)])]
        });
        for (statement, count) in [
            (SIMPLE_RANGE, knobs.simple_ranges),
            (SUM_RANGE, knobs.sum_ranges),
            (ORDER_RANGE, knobs.order_ranges),
            (DISTINCT_RANGE, knobs.distinct_ranges),
        ] {
            self.some(steps, count, |from| {
                let first = from.id();
                let last = first.saturating_add(knobs.range_size as i32 - 1);
                vec![(statement, vec![int(first), int(last)])]
            });
        }
    }

    fn index_updates(&mut self, steps: &mut Vec<Step>) {
        let count = self.oltp.knobs.index_updates;
        self.some(steps, count, |from| {
            vec![(INDEX_UPDATE, vec![int(from.id())])]
        });
    }

    fn non_index_updates(&mut self, steps: &mut Vec<Step>) {
        let count = self.oltp.knobs.non_index_updates;
        self.some(steps, count, |from| {
            let id = int(from.id());
            vec![(NON_INDEX_UPDATE, vec![id, text(rows::c(&mut from.rng))])]
        });
    }

    fn delete_inserts(&mut self, steps: &mut Vec<Step>) {
        let count = self.oltp.knobs.delete_inserts;
        self.some(steps, count, |from| {
            let (id, k) = (int(from.id()), int(from.id()));
            let (c, pad) = (rows::c(&mut from.rng), rows::pad(&mut from.rng));
            vec![
                (DELETE, vec![id.clone()]),
                (INSERT, vec![id, k, text(c), text(pad)]),
            ]
        });
    }
}

fn int(number: i32) -> Value {
    Value::Int(number.into())
}

fn text(text: String) -> Value {
    Value::Text(text.into())
}

impl Terminal for OltpTerminal {
    fn next_transaction(&mut self) -> Transaction {
        let variant = self.oltp.variant;
        let mut steps = Vec::new();
        match variant {
            Variant::ReadWrite | Variant::ReadOnly | Variant::WriteOnly => {
                if variant != Variant::WriteOnly {
                    self.reads(&mut steps);
                }
                if variant != Variant::ReadOnly {
                    self.index_updates(&mut steps);
                    self.non_index_updates(&mut steps);
                    self.delete_inserts(&mut steps);
                }
            }
            Variant::PointSelect => self.some(&mut steps, 1, |from| {
                vec![(POINT_SELECT, vec![int(from.id())])]
            }),
            Variant::UpdateIndex => self.index_updates(&mut steps),
            Variant::UpdateNonIndex => self.non_index_updates(&mut steps),
            Variant::Insert => self.some(&mut steps, 1, |from| {
                let k = int(from.id());
                let (c, pad) = (rows::c(&mut from.rng), rows::pad(&mut from.rng));
                vec![(APPEND, vec![k, text(c), text(pad)])]
            }),
            Variant::Delete => {
                self.some(&mut steps, 1, |from| vec![(DELETE, vec![int(from.id())])]);
            }
        }
        Transaction {
            kind: WORKLOAD.kind(variant as usize),
            steps,
            in_block: variant.is_block() && !self.oltp.knobs.skip_trx,
        }
    }
}
