//! How many records of each area agree. The numbers only grow.

use std::collections::BTreeMap;

/// Area, records that agree at least.
pub const LANG: &[(&str, usize)] = &[
    ("callable", 21),
    ("classes", 83),
    ("collectors", 67),
    ("conditionals", 76),
    ("core-catalog", 76),
    ("core-collections", 141),
    ("core-more", 50),
    ("core-strings", 132),
    ("defaults-overrides", 45),
    ("defines", 39),
    ("erb-objects", 70),
    ("erb-templates", 82),
    ("functions", 66),
    ("heredoc", 60),
    ("interpolation", 73),
    ("iteration", 115),
    ("lex-names", 108),
    ("lex-numbers", 43),
    ("lex-strings", 43),
    ("mismatch", 98),
    ("more-catalog", 57),
    ("more-errors", 90),
    ("more-language", 73),
    ("more-lines", 42),
    ("more-objects", 92),
    ("more-programs", 31),
    ("more-queries", 20),
    ("more-scopes", 75),
    ("more-sprintf", 13),
    ("more-tags", 6),
    ("more-templates", 19),
    ("more-values", 21),
    ("nodes", 34),
    ("op-arith", 96),
    ("op-compare", 58),
    ("op-logic", 81),
    ("op-match", 44),
    ("op-matrix", 54),
    ("order", 21),
    ("programs", 14),
    ("relationships", 57),
    ("resources", 104),
    ("sample-conversions", 201),
    ("sample-definitions", 202),
    ("sample-errors", 211),
    ("sample-fifth", 496),
    ("sample-fourth", 413),
    ("sample-operators", 171),
    ("sample-programs", 233),
    ("sample-resources", 173),
    ("sample-sixth", 190),
    ("sample-third", 428),
    ("syntax-errors", 100),
    ("tags-stages", 36),
    ("type-alias", 29),
    ("type-assign", 23),
    ("type-infer", 27),
    ("type-match", 45),
    ("type-new", 226),
    ("type-object", 126),
    ("type-print", 145),
    ("variables", 77),
];

/// Catalogs or errors, cases that agree at least.
pub const CASES: &[(&str, usize)] = &[("catalogs", 83), ("errors", 42)];

/// Group, records that agree at least.
pub const SNIPPETS: &[(&str, usize)] = &[
    ("collections", 51),
    ("comparison", 55),
    ("conditionals", 27),
    ("functions", 122),
    ("iteration", 57),
    ("logic", 26),
    ("misc", 32),
    ("numbers", 46),
    ("precedence", 20),
    ("statements", 129),
    ("statements-more", 47),
    ("statements-strict", 129),
    ("strings", 52),
    ("types", 143),
    ("variables", 27),
];

/// Which records agree, and why the others do not.
#[derive(Default)]
pub struct Agreement {
    areas: BTreeMap<String, (usize, Vec<String>)>,
}

impl Agreement {
    pub fn add(&mut self, area: &str, id: &str, result: Result<(), String>) {
        let (agreed, failed) = self.areas.entry(area.to_owned()).or_default();
        match result {
            Ok(()) => *agreed += 1,
            Err(why) => failed.push(format!("{id}: {why}")),
        }
    }

    /// Checks the numbers against a table, in which each area has its number.
    #[track_caller]
    pub fn check(&self, table: &[(&str, usize)]) {
        let mut lost = Vec::new();
        let (mut all_agreed, mut all) = (0, 0);
        let table: BTreeMap<&str, usize> = table.iter().copied().collect();
        for (area, (agreed, failed)) in &self.areas {
            all_agreed += agreed;
            all += agreed + failed.len();
            println!("{area:<22} {agreed:>4}/{}", agreed + failed.len());
            if std::env::var_os("VERBOSE").is_some() {
                failed.iter().for_each(|why| println!("    {why}"));
            }
            let wanted = table.get(area.as_str()).copied().unwrap_or(0);
            if *agreed < wanted {
                lost.push(format!("{area}: {agreed} agree, {wanted} did; now: {failed:#?}"));
            }
        }
        println!("{:<22} {all_agreed:>4}/{all}", "all");
        for (area, (agreed, _)) in &self.areas {
            println!("    (\"{area}\", {agreed}),");
        }
        if std::env::var_os("CASE").is_none() && std::env::var_os("RECORDS").is_none() {
            assert!(lost.is_empty(), "{}", lost.join("\n"));
        }
    }
}

/// Whether the record was chosen.
pub fn is_chosen(id: &str) -> bool {
    std::env::var("CASE").map_or(true, |prefix| id.starts_with(&prefix))
}
