//! The files of the flavour: a routine each, with the schema's name to be filled in.

use std::borrow::Cow;

use workload::schema::script::literal;
use workload::script::Routine;

use crate::schema::quote_identifier;

macro_rules! routines {
    ($($name:literal),* $(,)?) => {
        [$(Routine {
            name: Cow::Borrowed($name),
            template: Cow::Borrowed(include_str!(concat!("../../../sql/plpgsql/", $name, ".sql"))),
        }),*]
    };
}

/// All of them, each after those that it calls.
pub(super) const ROUTINES: &[Routine] = &routines![
    "tpcc_require",
    "tpcc_require_lines",
    "tpcc_require_customer",
    "tpcc_require_schema",
    "tpcc_no_such_row",
    "tpcc_new_order",
    "tpcc_payment",
    "tpcc_order_status",
    "tpcc_delivery",
    "tpcc_stock_level",
    "tpcc_run_terminal",
];

/// What stands around a body in the files.
const QUOTE: &str = "$function$";

/// The statement that creates a routine in `schema`, or replaces it there.
pub(super) fn statement(routine: &Routine, schema: &str) -> String {
    // A name that holds the quote would end the body.
    let mut quote = QUOTE.to_owned();
    while schema.contains(&quote) {
        quote = format!("${}_$", quote.trim_matches('$'));
    }
    let template = routine.template.replace(QUOTE, &quote);
    fill(&template, &placeholders(schema))
}

/// Its body in `schema`, as `pg_proc.prosrc` has it.
pub(super) fn body(routine: &Routine, schema: &str) -> String {
    let body = routine.template.split(QUOTE).nth(1).unwrap_or_default();
    fill(body, &placeholders(schema))
}

/// Its arguments and then its columns, a name and a type's name in `pg_type` each.
pub(super) fn signature(routine: &Routine) -> String {
    let head = routine.template.split(QUOTE).next().unwrap_or_default();
    let head = without_comment_lines(head);
    let (_, head) = head.split_once("CREATE OR REPLACE").unwrap_or_default();
    let lists = head.split('(').skip(1).map(|list| {
        let list = list.split(')').next().unwrap_or_default();
        list.split(',').map(parameter)
    });
    lists
        .flatten()
        .filter(|parameter| !parameter.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The text without the lines that are a comment.
fn without_comment_lines(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"));
    lines.collect::<Vec<_>>().join("\n")
}

/// `name type DEFAULT value` as `name type`; an array's type has an underscore before its element's.
fn parameter(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| *word != "INOUT")
        .collect();
    match words[..] {
        [name, of, ..] => match of.strip_suffix("[]") {
            Some(element) => format!("{name} _{element}"),
            None => format!("{name} {of}"),
        },
        _ => String::new(),
    }
}

/// The values of the placeholders that all files of the flavour have.
pub(super) fn placeholders(schema: &str) -> [(&'static str, String); 2] {
    [
        ("{schema}", quote_identifier(schema)),
        ("{schema_literal}", literal(schema)),
    ]
}

/// Fills placeholders in; what is filled in is not looked at again.
pub(super) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(place) = rest.find('{') {
        text.push_str(&rest[..place]);
        rest = &rest[place..];
        match values.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                text.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_a_head_and_a_body() {
        for routine in ROUTINES {
            let parts: Vec<&str> = routine.template.split(QUOTE).collect();
            assert_eq!(parts.len(), 3, "{}", routine.name);
            let created = format!("{{schema}}.{}(", routine.name);
            assert!(parts[0].contains(&created), "{}", routine.name);
            assert!(body(routine, "s").contains("BEGIN"), "{}", routine.name);
        }
    }

    #[test]
    fn a_signature_has_arguments_and_columns() {
        let stock_level = ROUTINES
            .iter()
            .find(|routine| routine.name == "tpcc_stock_level")
            .map(signature);
        assert_eq!(
            stock_level.as_deref(),
            Some(
                "w_id int4, d_id int4, threshold int4, schema text, low_stock int4, server_us int8"
            )
        );
    }

    #[test]
    fn a_name_is_filled_in_once() {
        let values = placeholders("{schema_literal}'\\");
        assert_eq!(
            fill("{schema} {schema_literal} {1,2}", &values),
            "\"{schema_literal}'\\\" E'{schema_literal}''\\\\' {1,2}"
        );
    }

    #[test]
    fn a_name_cannot_end_the_body() {
        let statement = statement(&ROUTINES[0], "a$function$b");
        assert_eq!(statement.matches("$function_$").count(), 2);
    }
}
