//! Connection strings: `keyword=value` pairs and URIs, as libpq reads them.
//!
//! A message never quotes a value: it may be a password, or a part of one.

use super::{ConnectError, keyword};

/// Where the pairs stand, for messages.
const STRING: &str = "the connection string";
const URI: &str = "the connection URI";

/// The parameters of a connection string in the order in which they stand; `None`: the text is the
/// name of a database.
pub(super) fn parse(text: &str) -> Result<Option<Vec<(String, String)>>, ConnectError> {
    for scheme in ["postgresql://", "postgres://"] {
        if let Some(rest) = text.strip_prefix(scheme) {
            return uri(rest).map(Some);
        }
    }
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if let Some(scheme) = scheme
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '+')
        && !scheme.is_empty()
    {
        return Err(ConnectError::Parameter(format!(
            "{URI} begins with \"{scheme}://\": expected postgresql://"
        )));
    }
    if text.contains('=') {
        return pairs(text).map(Some);
    }
    Ok(None)
}

fn pairs(text: &str) -> Result<Vec<(String, String)>, ConnectError> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let number = found.len() + 1;
        let end = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
        let name = &rest[..end];
        let Some(after) = rest[end..].trim_start().strip_prefix('=') else {
            return Err(ConnectError::Parameter(format!(
                "{STRING} lacks a \"=\" after keyword number {number}; put values with spaces in single quotes"
            )));
        };
        keyword::check_name(name, STRING)?;
        let (value, left) = value(after.trim_start(), name)?;
        found.push((name.to_owned(), value));
        rest = left.trim_start();
    }
    Ok(found)
}

/// One value, quoted or not, and what follows it.
fn value<'a>(text: &'a str, name: &str) -> Result<(String, &'a str), ConnectError> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, literal)| literal)),
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            space if !quoted && space.is_whitespace() => return Ok((value, &text[at..])),
            other => value.push(other),
        }
    }
    if quoted {
        return Err(ConnectError::Parameter(format!(
            "{STRING} does not close the quotes around the value of {name}"
        )));
    }
    Ok((value, ""))
}

/// What follows `postgresql://`.
fn uri(text: &str) -> Result<Vec<(String, String)>, ConnectError> {
    let (place, query) = match text.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (text, None),
    };
    let (authority, dbname) = match place.split_once('/') {
        Some((authority, dbname)) => (authority, dbname),
        None => (place, ""),
    };
    if dbname.contains('@') {
        return Err(ConnectError::Parameter(format!(
            "{URI} has an @ after its first /: write / in a password as %2F, @ in a database name as %40"
        )));
    }
    let mut found = Vec::new();
    let mut add = |name: &str, value: &str| -> Result<(), ConnectError> {
        if !value.is_empty() {
            found.push((name.to_owned(), decode(value, name)?));
        }
        Ok(())
    };
    // Many have an @ in their password, and a host has none.
    let hosts = match authority.rsplit_once('@') {
        Some((login, hosts)) => {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            add("user", user)?;
            add("password", password)?;
            hosts
        }
        None => authority,
    };
    let (hosts, ports) = places(hosts)?;
    add("host", &hosts)?;
    add("port", &ports)?;
    add("dbname", dbname)?;
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        if pair.is_empty() {
            continue;
        }
        let Some((name, value)) = pair.split_once('=') else {
            return Err(ConnectError::Parameter(format!(
                "{URI} has a parameter without \"=\" after its \"?\""
            )));
        };
        // JDBC's spelling, which libpq takes too.
        if (name, value) == ("ssl", "true") {
            found.push(("sslmode".to_owned(), "require".to_owned()));
            continue;
        }
        let name = decode(name, "a parameter")?;
        keyword::check_name(&name, URI)?;
        found.push((name.clone(), decode(value, &name)?));
    }
    Ok(found)
}

/// `host1:port1,[::1]:port2` as a list of hosts and one of ports.
fn places(text: &str) -> Result<(String, String), ConnectError> {
    let mut hosts = Vec::new();
    let mut ports = Vec::new();
    for place in text.split(',') {
        let (host, port) = if let Some(inside) = place.strip_prefix('[') {
            let Some((address, after)) = inside.split_once(']') else {
                return Err(ConnectError::Parameter(format!(
                    "{URI} does not close the bracket of an IPv6 address"
                )));
            };
            match after.strip_prefix(':') {
                Some(port) => (address, port),
                None if after.is_empty() => (address, ""),
                None => {
                    return Err(ConnectError::Parameter(format!(
                        "{URI} has something other than a port after the IPv6 address {address}"
                    )));
                }
            }
        } else {
            place.split_once(':').unwrap_or((place, ""))
        };
        hosts.push(host);
        ports.push(port);
    }
    let list = |items: Vec<&str>| {
        if items.iter().all(|item| item.is_empty()) {
            String::new()
        } else {
            items.join(",")
        }
    };
    Ok((list(hosts), list(ports)))
}

/// Percent-encoding undone.
fn decode(text: &str, name: &str) -> Result<String, ConnectError> {
    let wrong = |what: &str| {
        ConnectError::Parameter(format!(
            "{URI} has {what} in {name}: write a percent sign as %25"
        ))
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let digits = after
            .get(..2)
            .and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .ok_or_else(|| wrong("a \"%\" without two hexadecimal digits"))?;
        if byte == 0 {
            return Err(wrong("the forbidden value %00"));
        }
        bytes.push(byte);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| wrong("something that is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap().expect("a connection string")
    }

    fn expect(text: &str, pairs: &[(&str, &str)]) {
        let found = read(text);
        let found: Vec<_> = found
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(found, pairs, "{text}");
    }

    #[test]
    fn pairs_may_be_quoted_escaped_and_spaced() {
        expect(
            r"host = db  user='ann o\'x' password=a\ b\\c dbname=''",
            &[
                ("host", "db"),
                ("user", "ann o'x"),
                ("password", r"a b\c"),
                ("dbname", ""),
            ],
        );
        expect(
            "user=ann@corp port=1,2",
            &[("user", "ann@corp"), ("port", "1,2")],
        );
    }

    #[test]
    fn a_uri_has_every_part_percent_encoded() {
        expect(
            "postgresql://ann%40corp:p%40%3A%2F%25%27%5C%20%C3%A9@db:1/shop?sslmode=verify-ca&options=-c%20a%3Db",
            &[
                ("user", "ann@corp"),
                ("password", "p@:/%'\\ é"),
                ("host", "db"),
                ("port", "1"),
                ("dbname", "shop"),
                ("sslmode", "verify-ca"),
                ("options", "-c a=b"),
            ],
        );
        expect("postgres://", &[]);
        expect(
            "postgres:///shop?host=%2Frun%2Fpg&port=2",
            &[("dbname", "shop"), ("host", "/run/pg"), ("port", "2")],
        );
        expect(
            "postgres://%2Frun%2Fpg/shop",
            &[("host", "/run/pg"), ("dbname", "shop")],
        );
        expect(
            "postgres://u@/d?ssl=true",
            &[("user", "u"), ("dbname", "d"), ("sslmode", "require")],
        );
    }

    #[test]
    fn a_uri_has_several_hosts_and_ipv6() {
        expect(
            "postgres://a:1,[::1]:2,c/shop",
            &[("host", "a,::1,c"), ("port", "1,2,"), ("dbname", "shop")],
        );
        expect("postgres://[fe80::1]", &[("host", "fe80::1")]);
    }

    #[test]
    fn a_plain_word_is_a_database() {
        assert_eq!(parse("shop").unwrap(), None);
        assert_eq!(parse("").unwrap(), None);
    }

    #[test]
    fn what_is_wrong_is_told_without_the_secret() {
        for (text, told) in [
            ("hostess=x", "unknown keyword \"hostess\""),
            ("postgres://h/d?colour=x", "unknown keyword \"colour\""),
            ("password=a secret", "lacks a \"=\" after keyword number 2"),
            ("password='secret", "quotes around the value of password"),
            ("postgres://u:secret%@h", "in password"),
            ("postgres://u:secret%zz@h", "in password"),
            ("postgres://u:secret%00@h", "%00"),
            ("postgres://u:secret%ff@h", "not UTF-8"),
            ("postgres://u:secret@[::1", "bracket"),
            ("postgres://[::1]x", "::1"),
            ("postgres://u:secret@h/d?sslmode", "without \"=\""),
            ("mysql://u:secret@h/d", "mysql://"),
            ("postgres://u:a/secret@h/d", "%2F"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(told), "{text}: {message}");
            assert!(!message.contains("secret"), "{text}: {message}");
        }
    }
}
