//! Figures, and the one writer of their tables.

use std::fmt;

use tpcc::report::grouped;

use crate::machine::Machine;

/// What a figure is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// The median may not be above.
    AtMost(f64),
    /// The median may not be below.
    AtLeast(f64),
}

/// Something that was measured, once a round.
pub struct Figure {
    what: String,
    unit: &'static str,
    rounds: Vec<f64>,
    target: Option<Target>,
}

impl Figure {
    /// A figure with its value of each round.
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        rounds: impl IntoIterator<Item = f64>,
    ) -> Figure {
        Figure {
            what: what.into(),
            unit,
            rounds: rounds.into_iter().collect(),
            target: None,
        }
    }

    /// What the figure is to reach.
    pub fn target(self, target: Target) -> Figure {
        Figure {
            target: Some(target),
            ..self
        }
    }

    fn median(&self) -> f64 {
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
        match (sorted.get(low), sorted.get(high)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => f64::NAN,
        }
    }

    fn cells(&self, of: Option<&str>) -> [String; 6] {
        let decimals = self.decimals();
        let shown = |value: f64| grouped(&format!("{value:.decimals$}"));
        let least = self.rounds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self
            .rounds
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let (target, verdict) = match self.target {
            None => (String::new(), ""),
            Some(Target::AtMost(bound)) => (
                format!("at most {}", grouped(&bound.to_string())),
                verdict(self.median() <= bound),
            ),
            Some(Target::AtLeast(bound)) => (
                format!("at least {}", grouped(&bound.to_string())),
                verdict(self.median() >= bound),
            ),
        };
        let what = of.map_or(self.what.clone(), |of| format!("{of}: {}", self.what));
        [
            what,
            format!("**{}** {}", shown(self.median()), self.unit)
                .trim_end()
                .to_owned(),
            format!("{} - {}", shown(least), shown(most)),
            self.rounds.len().to_string(),
            target,
            verdict.to_owned(),
        ]
    }

    /// So many that four digits count; none for whole numbers.
    fn decimals(&self) -> usize {
        if self.rounds.iter().all(|value| value.fract() == 0.0) {
            return 0;
        }
        match self.median().abs() {
            100.0.. => 0,
            10.0.. => 1,
            _ => 3,
        }
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "**not met**" }
}

/// What one measurement found.
pub struct Section {
    title: &'static str,
    text: Vec<String>,
    figures: Vec<Figure>,
}

impl Section {
    /// A section without figures.
    pub fn new(title: &'static str) -> Section {
        Section {
            title,
            text: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Adds a paragraph: how it was measured.
    pub fn text(mut self, text: impl Into<String>) -> Section {
        self.text.push(text.into());
        self
    }

    /// Adds a figure.
    pub fn figure(mut self, figure: Figure) -> Section {
        self.figures.push(figure);
        self
    }
}

impl fmt::Display for Section {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "## {}\n", self.title)?;
        for text in &self.text {
            writeln!(out, "{text}\n")?;
        }
        table(out, self.figures.iter().map(|figure| figure.cells(None)))
    }
}

fn table(out: &mut impl fmt::Write, rows: impl IntoIterator<Item = [String; 6]>) -> fmt::Result {
    writeln!(out, "| | median | min - max | rounds | target | |")?;
    writeln!(out, "| --- | ---: | ---: | ---: | --- | --- |")?;
    for row in rows {
        writeln!(out, "| {} |", row.join(" | "))?;
    }
    Ok(())
}

/// The whole document.
pub fn document(machine: &Machine, quick: bool, sections: &[Section]) -> String {
    let mut text = String::from(
        "# Benchmarks\n\n\
         Written by `make bench`, not by hand. What is compared was measured in turns within one run; \
         each figure is the median of its rounds.\n",
    );
    if quick {
        text += "\n**From `--quick`, which only tries the tool: these figures mean nothing.**\n";
    }
    let targets = sections.iter().flat_map(|section| {
        let figures = section.figures.iter();
        let with_target = figures.filter(|figure| figure.target.is_some());
        with_target.map(|figure| figure.cells(Some(section.title)))
    });
    text += "\n## Targets\n\n";
    // Writing to a string cannot fail.
    let _ = table(&mut text, targets);
    text += &format!("\n{machine}");
    for section in sections {
        text += &format!("\n{section}");
    }
    text
}

/// A document in which these sections take the place of those that it had, or come last, each with where and when it was
/// measured; the others, and what the document says of the machine, stay.
pub fn updated(document: &str, machine: &Machine, sections: &[Section]) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for line in document.lines() {
        if line.starts_with("## ") || blocks.is_empty() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            *block += line;
            block.push('\n');
        }
    }
    for section in sections {
        let head = format!("## {}\n", section.title);
        let with_date = format!("{section}\nThis section alone: {}.\n\n", machine.line());
        match blocks.iter_mut().find(|block| block.starts_with(&head)) {
            Some(block) => *block = with_date,
            None => {
                if let Some(last) = blocks.last_mut() {
                    *last = format!("{}\n\n", last.trim_end());
                }
                blocks.push(with_date);
            }
        }
        if let Some(targets) = blocks
            .iter_mut()
            .find(|block| block.starts_with("## Targets\n"))
        {
            *targets = with_targets(targets, section);
        }
    }
    format!("{}\n", blocks.concat().trim_end())
}

/// The table of targets with the rows of one section in the place of its old ones.
fn with_targets(targets: &str, section: &Section) -> String {
    let mark = format!("| {}: ", section.title);
    let (old, others): (Vec<&str>, Vec<&str>) = targets
        .trim_end()
        .lines()
        .partition(|line| line.starts_with(&mark));
    let place = old
        .first()
        .and_then(|first| targets.lines().position(|line| line == *first));
    let rows = section
        .figures
        .iter()
        .filter(|figure| figure.target.is_some());
    let rows = rows.map(|figure| format!("| {} |", figure.cells(Some(section.title)).join(" | ")));
    let mut lines: Vec<String> = others.into_iter().map(str::to_owned).collect();
    let place = place.unwrap_or(lines.len()).min(lines.len());
    lines.splice(place..place, rows);
    lines.join("\n") + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_median_the_range_and_the_verdict() {
        let figure = Figure::new("speed", "a minute", [110_000.0, 104_000.0, 120_000.4]);
        let cells = figure.target(Target::AtLeast(105_000.0)).cells(None);
        let expected = [
            "speed",
            "**110,000** a minute",
            "104,000 - 120,000",
            "3",
            "at least 105,000",
            "met",
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn the_median_of_two_rounds_lies_between_them() {
        let figure = Figure::new("ratio", "", [0.9, 1.2]).target(Target::AtMost(1.0));
        assert_eq!(figure.cells(None)[1], "**1.050**");
        assert_eq!(figure.cells(None)[5], "**not met**");
    }

    #[test]
    fn sections_take_the_place_of_their_old_ones() {
        let section = |title, value| {
            let figure = Figure::new("speed", "a second", [value]);
            Section::new(title).figure(figure.target(Target::AtLeast(2.0)))
        };
        let machine = Machine::look();
        let old = document(
            &machine,
            false,
            &[section("Load", 1.0), section("Run", 1.0)],
        );
        let new = updated(
            &old,
            &machine,
            &[section("Load", 3.0), section("Scan", 3.0)],
        );
        let places = ["## Targets", "## Where", "## Load", "## Run", "## Scan"].map(|head| {
            assert_eq!(new.matches(head).count(), 1, "{new}");
            new.find(head)
        });
        assert!(places.is_sorted(), "{new}");
        assert!(new.contains("| Load: speed | **3** a second | 3 - 3 | 1 | at least 2 | met |"));
        assert!(
            new.contains("| Run: speed | **1** a second | 1 - 1 | 1 | at least 2 | **not met** |")
        );
        assert_eq!(new.matches("| Load: speed").count(), 1);
        assert_eq!(new.matches("This section alone: ").count(), 2);
        let again = updated(
            &new,
            &machine,
            &[section("Load", 3.0), section("Scan", 3.0)],
        );
        assert_eq!(again, new);
    }

    #[test]
    fn whole_numbers_have_no_decimals() {
        assert_eq!(
            Figure::new("errors", "", [0.0, 0.0]).cells(None)[1],
            "**0**"
        );
        let cells = Figure::new("errors", "", [3.0, 1.0]).cells(Some("Run"));
        assert_eq!(cells[..3], ["Run: errors", "**2**", "1 - 3"]);
    }
}
