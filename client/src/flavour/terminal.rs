//! The procedure that runs a batch of a workload's transactions and commits each, for mode server without the extension.

use std::borrow::Cow;

use workload::Workload;
use workload::script::{Routine, Script, Statement, Type};

/// TPC-C's, which has marks around what other workloads have otherwise.
const TEMPLATE: &str = include_str!("../../../sql/plpgsql/tpcc_run_terminal.sql");

/// The name of a workload's procedure.
pub(crate) fn terminal_name(workload: &Workload) -> String {
    format!("{}_run_terminal", workload.name)
}

/// How many values the calls of a script have at most.
pub(crate) fn width(script: &dyn Script) -> usize {
    let widths = script.calls().iter().map(|call| call.types.len());
    widths.max().unwrap_or(0)
}

/// A script's procedure: after the kinds it takes an array of texts for each value of a call.
pub(crate) fn terminal_routine(script: &dyn Script) -> Routine {
    let workload = script.workload();
    let name = terminal_name(workload);
    let inputs: String = (1..=width(script))
        .map(|n| format!(" values_{n} text[],"))
        .collect();
    let mut conflicts = vec!["40001".to_owned(), "40P01".to_owned()];
    let more = workload.conflicts.iter();
    conflicts.extend(more.map(|state| String::from_utf8_lossy(state).into_owned()));
    let arms: String = (1..)
        .zip(script.calls())
        .map(|(kind, call)| {
            let word = if kind == 1 { "IF" } else { "ELSIF" };
            format!("                {word} kind = {kind} THEN\n{}", arm(call))
        })
        .collect();
    let (_, definition) = TEMPLATE
        .split_once("CREATE OR REPLACE")
        .unwrap_or(("", TEMPLATE));
    let text = format!("CREATE OR REPLACE{definition}").replace("tpcc_run_terminal", &name);
    let text = put(&text, "inputs", &format!("    kinds int4[],{inputs}\n"));
    let text = put(
        &text,
        "conflicts",
        &format!("    conflicts text[] := '{{{}}}';\n", conflicts.join(",")),
    );
    let text = put(&text, "arms", &format!("{arms}                END IF;\n"));
    Routine {
        name: Cow::Owned(name),
        template: Cow::Owned(text),
    }
}

/// The call of a type, with its values out of the arrays.
fn arm(call: &Statement) -> String {
    let sql: String = call
        .sql
        .lines()
        .filter(|line| !line.starts_with("--"))
        .collect::<Vec<_>>()
        .join(" ");
    let mut sql = sql.replacen("SELECT * FROM", "PERFORM FROM", 1);
    for (n, of) in (1..).zip(call.types).collect::<Vec<_>>().into_iter().rev() {
        let of = match of {
            Type::Int4 => "int4",
            Type::Int8 => "int8",
            Type::Text => "text",
            Type::Int4s => "int4[]",
        };
        sql = sql.replace(&format!("${n}"), &format!("values_{n}[i]::{of}"));
    }
    let must = call.must.map_or_else(String::new, |what| {
        format!(
            "                    IF NOT FOUND THEN\n                        \
             RAISE EXCEPTION '{what} % does not exist in schema %', values_1[i], {{schema_literal}}\n                        \
             USING ERRCODE = 'TC002';\n                    END IF;\n"
        )
    });
    format!("                    {};\n{must}", sql.trim())
}

/// Puts text in the place of what stands between the mark of a name and the next end.
fn put(text: &str, mark: &str, with: &str) -> String {
    let parts = text
        .split_once(&format!("--{{{mark}}}\n"))
        .and_then(|(head, rest)| Some((head, rest.split_once("--{end}\n")?)));
    match parts {
        Some((head, (_, tail))) => {
            format!(
                "{}\n{with}{tail}",
                head.trim_end_matches(' ').trim_end_matches('\n')
            )
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use workload::tpcb::{Builtin, Shares, Tpcb};

    use super::*;

    #[test]
    fn a_script_has_its_own_calls_in_it() {
        let tpcb = Tpcb {
            scale: 1,
            shares: Shares::only(Builtin::SelectOnly),
        };
        let routine = terminal_routine(&tpcb);
        assert_eq!(routine.name, "tpcb_run_terminal");
        let text = &routine.template;
        for part in [
            "{schema}.tpcb_run_terminal(",
            "kinds int4[], values_1 text[], values_2 text[], values_3 text[], values_4 text[],",
            "IF kind = 1 THEN",
            "PERFORM FROM {schema}.tpcb_like(values_1[i]::int8, values_2[i]::int4, values_3[i]::int4, values_4[i]::int4);",
            "ELSIF kind = 3 THEN",
            "conflicts text[] := '{40001,40P01}';",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("tpcc_") && !text.contains("--{"), "{text}");
    }
}
