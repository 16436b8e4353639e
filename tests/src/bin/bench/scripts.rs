//! pgbench scripts that call the five functions with the inputs of the standard.
//!
//! An order's arrays need as many variables as it has lines, so there is a script for each number of
//! lines; pgbench draws scripts by weight, which makes the mix.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use workload::TransactionType;
use workload::tpcc::random::{NURAND_A_C_ID, NURAND_A_C_LAST, NURAND_A_OL_I_ID};
use workload::tpcc::{
    CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, ITEMS, MAX_ORDER_LINES, MIN_ORDER_LINES, Mix,
    NurandConstants, UNUSED_ITEM_ID, last_name,
};

use crate::Result;

/// The parts of a whole that 11 sizes of orders and 60 in a hundred can both be cut into.
const PARTS: u32 = 55;
/// Payments and order-status requests by last name, in a hundred (clauses 2.5.1.2, 2.6.1.2).
const BY_NAME: u32 = 60;

/// A script with its weight.
struct Script {
    name: String,
    weight: u32,
    text: String,
}

/// What the inputs depend on.
pub struct Inputs {
    /// Warehouses 1 to this.
    pub warehouses: i32,
    /// The constants of NURand for this run.
    pub constants: NurandConstants,
}

/// Writes the scripts of the standard's mix into a folder. Gives pgbench's arguments for them.
pub fn write(inputs: &Inputs, folder: &Path) -> Result<Vec<String>> {
    std::fs::create_dir_all(folder)?;
    let mut arguments = Vec::new();
    for script in inputs.scripts() {
        let file: PathBuf = folder.join(&script.name).with_extension("sql");
        std::fs::write(&file, &script.text)?;
        arguments.push("-f".to_owned());
        arguments.push(format!("{}@{}", file.display(), script.weight));
    }
    Ok(arguments)
}

impl Inputs {
    fn scripts(&self) -> Vec<Script> {
        let sizes = MIN_ORDER_LINES..=MAX_ORDER_LINES;
        let count = sizes.clone().count() as u32;
        let share = |transaction: TransactionType, of: u32, whole: u32| {
            Mix::STANDARD.weights()[transaction.index()] * PARTS * of / whole
        };
        let script = |name: &str, weight: u32, text: String| Script {
            name: name.to_owned(),
            weight,
            text,
        };
        let mut scripts: Vec<Script> = sizes
            .map(|lines| {
                let weight = share(TransactionType::NewOrder, 1, count);
                script(&format!("new_order_{lines}"), weight, self.new_order(lines))
            })
            .collect();
        for by_name in [true, false] {
            let (how, part) = if by_name {
                ("by_name", BY_NAME)
            } else {
                ("by_id", 100 - BY_NAME)
            };
            scripts.push(script(
                &format!("payment_{how}"),
                share(TransactionType::Payment, part, 100),
                self.payment(by_name),
            ));
            scripts.push(script(
                &format!("order_status_{how}"),
                share(TransactionType::OrderStatus, part, 100),
                self.order_status(by_name),
            ));
        }
        scripts.push(script(
            "delivery",
            share(TransactionType::Delivery, 1, 1),
            self.delivery(),
        ));
        scripts.push(script(
            "stock_level",
            share(TransactionType::StockLevel, 1, 1),
            self.stock_level(),
        ));
        scripts
    }

    fn new_order(&self, lines: i32) -> String {
        let mut text = self.home() + &any_district("d") + &self.c_id();
        for line in 1..=lines {
            let item = nurand(NURAND_A_OL_I_ID, self.constants.ol_i_id, 1, ITEMS);
            let _ = write!(
                text,
                "\\set i{line} {item}\n\\set q{line} random(1, 10)\n\\set s{line} :w\n{}",
                self.sometimes(1, &self.other_warehouse(&format!("s{line}")))
            );
        }
        text += &format!("\\if random(1, 100) <= 1\n\\set i{lines} {UNUSED_ITEM_ID}\n\\endif\n");
        let array = |letter: char| {
            let names: Vec<String> = (1..=lines).map(|line| format!(":{letter}{line}")).collect();
            format!("ARRAY[{}]::int[]", names.join(", "))
        };
        text + &format!(
            "SELECT * FROM tpcc_new_order(:w, :d, :c, {}, {}, {}, report_rollback => true);\n",
            array('i'),
            array('s'),
            array('q')
        )
    }

    fn payment(&self, by_name: bool) -> String {
        let other = self.other_warehouse("cw") + &any_district("cd");
        let (set, c_id, c_last) = self.customer(by_name);
        self.home()
            + &any_district("d")
            + "\\set cw :w\n\\set cd :d\n"
            + &self.sometimes(15, &other)
            + "\\set cents random(100, 500000)\n"
            + &set
            + &format!(
                "SELECT * FROM tpcc_payment(:w, :d, :cw, :cd, {c_id}, {c_last}, :cents / 100.0);\n"
            )
    }

    fn order_status(&self, by_name: bool) -> String {
        let (set, c_id, c_last) = self.customer(by_name);
        self.home()
            + &any_district("d")
            + &set
            + &format!("SELECT * FROM tpcc_order_status(:w, :d, {c_id}, {c_last});\n")
    }

    fn delivery(&self) -> String {
        self.home() + "\\set carrier random(1, 10)\nSELECT * FROM tpcc_delivery(:w, :carrier);\n"
    }

    fn stock_level(&self) -> String {
        let warehouses = self.warehouses;
        // The terminal's own district, as workload's terminals have it (clause 2.8.1.1).
        let district = format!(
            "\\set d (:client_id / {warehouses} + :client_id % {warehouses}) % {DISTRICTS_PER_WAREHOUSE} + 1\n"
        );
        self.home()
            + &district
            + "\\set threshold random(10, 20)\nSELECT * FROM tpcc_stock_level(:w, :d, :threshold);\n"
    }

    /// A client keeps its home warehouse (clause 2.4.1.1).
    fn home(&self) -> String {
        format!("\\set w :client_id % {} + 1\n", self.warehouses)
    }

    /// A warehouse that is not home, all as likely; nothing where there is none.
    fn other_warehouse(&self, name: &str) -> String {
        match self.warehouses {
            1 => String::new(),
            n => format!("\\set {name} (:w + random(0, {})) % {n} + 1\n", n - 2),
        }
    }

    fn sometimes(&self, percent: u32, what: &str) -> String {
        format!("\\if random(1, 100) <= {percent}\n{what}\\endif\n")
    }

    /// What sets the variables, then the arguments for c_id and c_last.
    fn customer(&self, by_name: bool) -> (String, String, String) {
        if !by_name {
            return (self.c_id(), ":c".to_owned(), "NULL".to_owned());
        }
        let number = nurand(NURAND_A_C_LAST, self.constants.c_last, 0, 999);
        let set = format!(
            "\\set n {number}\n\\set n1 :n / 100\n\\set n2 :n / 10 % 10\n\\set n3 :n % 10\n"
        );
        let syllables: Vec<String> = (0..10)
            .map(|digit| {
                let thrice = last_name(digit * 111).to_string();
                format!("'{}'", &thrice[..thrice.len() / 3])
            })
            .collect();
        let syllables = format!("(ARRAY[{}])", syllables.join(","));
        let name: Vec<String> = (1..=3).map(|n| format!("{syllables}[:n{n} + 1]")).collect();
        (set, "NULL".to_owned(), name.join(" || "))
    }

    fn c_id(&self) -> String {
        let number = nurand(
            NURAND_A_C_ID,
            self.constants.c_id,
            1,
            CUSTOMERS_PER_DISTRICT,
        );
        format!("\\set c {number}\n")
    }
}

fn any_district(name: &str) -> String {
    format!("\\set {name} random(1, {DISTRICTS_PER_WAREHOUSE})\n")
}

/// The standard's NURand(A, x, y) as pgbench computes it (clause 2.1.6).
fn nurand(a: i32, c: i32, x: i32, y: i32) -> String {
    format!(
        "((random(0, {a}) | random({x}, {y})) + {c}) % {} + {x}",
        y - x + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(warehouses: i32) -> Inputs {
        Inputs {
            warehouses,
            constants: NurandConstants::load(1),
        }
    }

    #[test]
    fn the_weights_are_the_standards_shares() {
        let scripts = inputs(10).scripts();
        let sum = |start: &str| -> u32 {
            let of_type = scripts
                .iter()
                .filter(|script| script.name.starts_with(start));
            of_type.map(|script| script.weight).sum()
        };
        let total = sum("");
        for transaction in TransactionType::ALL {
            let share = f64::from(sum(transaction.name())) / f64::from(total);
            assert!(
                (share - Mix::STANDARD.share(transaction)).abs() < 1e-12,
                "{transaction}"
            );
        }
        assert_eq!(sum("payment_by_name") * 100, sum("payment") * BY_NAME);
    }

    #[test]
    fn an_order_names_each_of_its_lines() {
        let text = inputs(10).new_order(5);
        assert!(
            text.contains("ARRAY[:i1, :i2, :i3, :i4, :i5]::int[]"),
            "{text}"
        );
        assert!(
            text.contains("\\set s5 (:w + random(0, 8)) % 10 + 1\n"),
            "{text}"
        );
        assert!(text.contains("\\set i5 100001\n"), "{text}");
    }

    #[test]
    fn with_one_warehouse_nothing_is_remote() {
        assert!(!inputs(1).payment(true).contains("random(0, -1)"));
    }

    #[test]
    fn a_name_is_put_together_from_its_syllables() {
        let (_, c_id, c_last) = inputs(2).customer(true);
        assert_eq!(c_id, "NULL");
        assert!(
            c_last.starts_with("(ARRAY['BAR','OUGHT','ABLE',"),
            "{c_last}"
        );
    }
}
