//! Names as SQL identifiers.

/// Words that PostgreSQL does not take as a name without quotes, or not everywhere: all its keywords but
/// the unreserved ones, of every version we know.
const KEYWORDS: &str = "
    all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
    both case cast char character check coalesce collate collation column concurrently constraint create
    cross current_catalog current_date current_role current_schema current_time current_timestamp
    current_user dec decimal default deferrable desc distinct do else end except exists extract false
    fetch float for foreign freeze from full grant greatest group grouping having ilike in initially
    inner inout int integer intersect interval into is isnull join json json_array json_arrayagg
    json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value
    lateral leading least left like limit localtime localtimestamp merge_action national natural nchar
    none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
    placing position precision primary real references returning right row select session_user setof
    similar smallint some substring symmetric system_user table tablesample then time timestamp to
    trailing treat trim true union unique user using values varchar variadic verbose when where window
    with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
    xmlserialize xmltable";

/// A name as an SQL identifier, in quotes where PostgreSQL's `quote_ident` puts them.
pub fn quote_identifier(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !KEYWORDS.split_whitespace().any(|word| word == name);
    if plain {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::quote_identifier;

    #[test]
    fn names_are_quoted_where_they_need_it() {
        for plain in ["tpcc", "tpcc12", "_x", "a_b"] {
            assert_eq!(quote_identifier(plain), plain);
        }
        assert_eq!(quote_identifier("Tpcc"), "\"Tpcc\"");
        assert_eq!(quote_identifier("1st"), "\"1st\"");
        assert_eq!(quote_identifier("user"), "\"user\"");
        assert_eq!(quote_identifier("my \"own\""), "\"my \"\"own\"\"\"");
        assert_eq!(quote_identifier("straße"), "\"straße\"");
    }
}
