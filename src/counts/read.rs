//! Reads tables from CSV, including tables from other programs.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

use csv::StringRecord;

use super::{Column, Columns, Row, Table};
use crate::error::{Error, Result};
use crate::lines::{LineReader, fields};
use crate::part::Fingerprint;

/// Maximum number of bytes in a line, far more than its numbers need.
const LONGEST: usize = 1 << 14;

/// Maximum number of bytes of a table. The manifest of a run, which tells more, has the same bound.
const LARGEST: usize = 128 << 20;

/// Maximum total of a column, more than any count has. The sum of two columns does not overflow.
const MOST: u64 = 1 << 62;

impl Table {
    /// Read a CSV with a header line, which names `sum`, `max_tile` and at least one column of
    /// counts. Other columns are ignored. Rows may come in any order, but each part only once.
    ///
    /// # Errors
    ///
    /// [`Error::Table`], which names the line.
    pub fn read_csv(from: impl Read) -> Result<Self> {
        let mut lines = LineReader::new(from, LONGEST);
        let (mut header, mut total) = (None, Row::default());
        let mut rows = BTreeMap::new();
        let mut bytes = 0;
        loop {
            let read = lines
                .next()
                .map_err(|error| format!("cannot read: {error}"))
                .and_then(|line| {
                    bytes += line.map_or(0, <[u8]>::len);
                    if bytes > LARGEST {
                        return Err(format!("no table of a game has more than {LARGEST} bytes"));
                    }
                    line.map(fields).transpose()
                });
            let number = lines.number();
            let wrong = |what| Error::Table { line: number, what };
            let Some(fields) = read.map_err(wrong)? else {
                break;
            };
            if fields.is_empty() {
                continue;
            }
            let Some(header) = &header else {
                header = Some(TableHeader::read(&fields).map_err(wrong)?);
                continue;
            };
            let row = header.row(&fields).map_err(wrong)?;
            match rows.entry((row.sum, row.max_tile)) {
                Entry::Vacant(entry) => drop(entry.insert((number, row))),
                Entry::Occupied(entry) => {
                    let (sum, max_tile, first) = (row.sum, row.max_tile, entry.get().0);
                    return Err(wrong(format!(
                        "sum {sum}, largest tile {max_tile}: line {first} already has this part"
                    )));
                }
            }
            add(&mut total, &row).map_err(wrong)?;
        }
        let wrong = |what| Error::Table { line: 1, what };
        let header = header.ok_or_else(|| wrong("empty: expected a header".to_owned()))?;
        let columns = header.columns();
        let rows = rows.into_values();
        Ok(Self {
            rows: rows.filter_map(|(_, row)| row.only(columns)).collect(),
            columns,
        })
    }
}

/// The column of each field; `None` for a field that is ignored.
struct TableHeader(Vec<Option<Column>>);

impl TableHeader {
    fn read(fields: &StringRecord) -> Result<Self, String> {
        if let Some(separator) = [';', '\t'].into_iter().find(|&c| fields[0].contains(c)) {
            return Err(format!(
                "columns are separated by {separator:?}: saved by a spreadsheet? Save them with commas"
            ));
        }
        let column = |name: &str| Column::ALL.into_iter().find(|column| column.name() == name);
        let header = Self(fields.iter().map(|name| column(name.trim())).collect());
        let named = |&wanted: &Column| header.0.iter().filter(|&&c| c == Some(wanted)).count();
        let needed = [Column::Sum, Column::MaxTile];
        if let Some(missing) = needed.iter().find(|column| named(column) == 0) {
            return Err(format!("column {} is missing", missing.name()));
        }
        if let Some(twice) = Column::ALL.iter().find(|column| named(column) > 1) {
            return Err(format!("column {} appears twice", twice.name()));
        }
        if header.columns().counts().next().is_none() {
            return Err("no column of counts, such as live".to_owned());
        }
        Ok(header)
    }

    fn columns(&self) -> Columns {
        let columns: Vec<Column> = self.0.iter().flatten().copied().collect();
        Columns::of(&columns)
    }

    fn row(&self, fields: &StringRecord) -> Result<Row, String> {
        let (expected, got) = (self.0.len(), fields.len());
        if got != expected {
            return Err(format!(
                "expected {expected} fields as in the header, got {got}"
            ));
        }
        let mut row = Row::default();
        for (column, field) in self.0.iter().zip(fields) {
            let Some(column) = *column else { continue };
            let field = field.trim();
            if column == Column::Fingerprint {
                row.fingerprint = fingerprint(field)?;
                continue;
            }
            let name = column.name();
            let number = whole(field).map_err(|error| format!("{name}: {error}"))?;
            let small = || u32::try_from(number).map_err(|_| format!("{name} {number}: too large"));
            match column {
                Column::Sum => row.sum = small()?,
                Column::MaxTile => row.max_tile = small()?,
                _ => row.set(column, number),
            }
        }
        Ok(row)
    }
}

/// Read a whole number, as the programs write it that a table has passed through: csvsort writes False
/// for 0, R writes 1e+05, and pandas writes 12.0. R and spreadsheets round to 15 digits.
fn whole(field: &str) -> Result<u64, String> {
    // Spreadsheets round to fewer digits, and write a capital E.
    let exact = |number: &f64| {
        field.contains("e+") && number.fract() == 0.0 && (0.0..1e15).contains(number)
    };
    let found = match field.strip_suffix(".0").unwrap_or(field) {
        "False" | "FALSE" | "false" => Some(0),
        "True" | "TRUE" | "true" => Some(1),
        digits => digits.parse().ok().or_else(|| {
            let number = digits.parse().ok().filter(exact);
            number.map(|number| number as u64)
        }),
    };
    found.ok_or_else(|| {
        let is_number = field.starts_with(|c: char| c.is_ascii_digit() || c == '#');
        let why = match is_number && field.contains(|c: char| !c.is_ascii_digit()) {
            true => ": rounded, or in another form: saved by a spreadsheet?",
            false => "",
        };
        format!("expected a number, got {field:?}{why}")
    })
}

/// Read a fingerprint. Other programs took a few of the first form, without the x, for numbers.
fn fingerprint(field: &str) -> Result<Fingerprint, String> {
    field.parse().map_err(|error| match field.parse::<f64>() {
        Ok(_) => format!("{error}: it was taken for a number: saved by a spreadsheet?"),
        Err(_) => error,
    })
}

/// Add a row's counts to the total of the rows before.
fn add(total: &mut Row, row: &Row) -> Result<(), String> {
    for column in Columns::ALL.counts() {
        // Fingerprints wrap around.
        if column != Column::Fingerprint {
            let (sum, number) = (total.number(column), row.number(column));
            let sum = sum.checked_add(number).filter(|&sum| sum <= MOST);
            let name = column.name();
            total.set(
                column,
                sum.ok_or_else(|| format!("{name} {number}: more than there are boards"))?,
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "sum,max_tile,live,dead,labeled,afterstates,fingerprint,\
                         empty_cells,candidates,duplicates,moves,wins\n\
                         4,2,2,0,6,1,xf8b92427b13a4593,2,2,0,7,0\n";

    fn read(text: &str) -> Table {
        Table::read_csv(text.as_bytes()).unwrap()
    }

    fn refused(text: &str) -> String {
        Table::read_csv(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_documented_first_row_is_read_and_written() {
        let table = read(FIRST);
        let row = table.rows()[0];
        assert_eq!((row.sum, row.max_tile, row.live, row.labeled), (4, 2, 2, 6));
        assert_eq!((row.moves, row.fingerprint.0), (7, 0xf8b9_2427_b13a_4593));
        assert_eq!(table.to_csv(), FIRST.as_bytes());
    }

    #[test]
    fn a_table_of_few_columns_is_read_in_any_order_and_knows_its_columns() {
        let table = read("max_tile,\"live\",sum,year\r\n\r\n4,2,6,2017\n2, 1,6,\n2,2,4,2017");
        let columns = [Column::Sum, Column::MaxTile, Column::Live];
        assert_eq!(table.columns(), Columns::of(&columns));
        assert_eq!(table.columns().to_string(), "live");
        let sorted = "sum,max_tile,live\n4,2,2\n6,2,1\n6,4,2\n";
        assert_eq!(table.to_csv(), sorted.as_bytes());
    }

    #[test]
    fn numbers_of_other_programs_are_read_if_they_are_exact() {
        for (field, number) in [
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("False", 0),
            ("TRUE", 1),
            ("12.0", 12),
            ("1e+05", 100_000),
            ("5.177707025278e+12", 5_177_707_025_278),
        ] {
            assert_eq!(whole(field), Ok(number), "{field}");
        }
        for field in [
            "5.17771E+12",
            "1.2e+18",
            "1,234",
            "12.000",
            "2. Apr",
            "#NUM!",
        ] {
            let refused = whole(field).unwrap_err();
            assert!(refused.ends_with("saved by a spreadsheet?"), "{refused}");
        }
        for field in ["", "x", "-1", "inf", "18446744073709551616"] {
            let refused = whole(field).unwrap_err();
            assert_eq!(refused, format!("expected a number, got {field:?}"));
        }
    }

    #[test]
    fn a_table_that_passed_through_other_programs_is_read() {
        // As csvsort, R and pandas (with an index) write it.
        for row in ["4,2,True,1e+05", "4,2,1,1e+05", "4,2.0,1.0,100000.0"] {
            let table = read(&format!("sum,max_tile,live,moves\n{row}\n"));
            assert_eq!((table.rows()[0].live, table.rows()[0].moves), (1, 100_000));
        }
        let indexed = read("\"\",\"sum\",\"max_tile\",\"live\"\n\"1\",4,2,2\n");
        assert_eq!(indexed.rows()[0].live, 2);
    }

    #[test]
    fn a_table_of_any_columns_is_read_back() {
        let whole = read(include_str!("../../tests/data/v1/2x2-32/layers.csv"));
        let counts: Vec<Column> = Columns::ALL.counts().collect();
        for choice in 1..1_u32 << counts.len() {
            let chosen = counts.iter().zip(0..);
            let chosen = chosen.filter(|&(_, bit)| choice >> bit & 1 != 0);
            let mut columns = vec![Column::Sum, Column::MaxTile];
            columns.extend(chosen.map(|(&column, _)| column));
            let some = whole.only(Columns::of(&columns));
            let read = Table::read_csv(&some.to_csv()[..]).unwrap();
            assert!(read == some, "{columns:?}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let header = "sum,max_tile,live";
        for (text, said) in [
            (String::new(), "line 1: empty: expected a header"),
            (
                "sum,live\n".to_owned(),
                "line 1: column max_tile is missing",
            ),
            (
                "sum,max_tile\n4,2\n".to_owned(),
                "line 1: no column of counts, such as live",
            ),
            (
                format!("{header},sum\n"),
                "line 1: column sum appears twice",
            ),
            (
                format!("{header}\n4,2,x\n"),
                "line 2: live: expected a number, got \"x\"",
            ),
            (
                format!("\n{header}\r\n\r\n4,2\r\n"),
                "line 4: expected 3 fields as in the header, got 2",
            ),
            (
                format!("{header}\n4,2,2\n6,2,1\n4,2,2\n"),
                "line 4: sum 4, largest tile 2: line 2 already has this part",
            ),
            (
                format!("{header}\n4,2,2\r6,2,1\n"),
                "line 2: expected 3 fields as in the header, got 5",
            ),
            (
                format!("{header}\n4,2,5.17771E+12\n"),
                "line 2: live: expected a number, got \"5.17771E+12\": rounded, or in another form: \
                 saved by a spreadsheet?",
            ),
            (
                "sum,max_tile,fingerprint\n4,2,6.8E+2921\n".to_owned(),
                "line 2: fingerprint \"6.8E+2921\": expected x and 16 hexadecimal digits: it was taken \
                 for a number: saved by a spreadsheet?",
            ),
            (
                "sum;max_tile;live\n4;2;2\n".to_owned(),
                "line 1: columns are separated by ';': saved by a spreadsheet? Save them with commas",
            ),
            (
                format!("{header}\n4294967296,2,2\n"),
                "line 2: sum 4294967296: too large",
            ),
            (
                format!("{header}\n4,2,18446744073709551615\n"),
                "line 2: live 18446744073709551615: more than there are boards",
            ),
            (
                format!("{header}\n4,2,4611686018427387904\n6,2,1\n"),
                "line 3: live 1: more than there are boards",
            ),
            (
                format!("{header}\n4,2,18446744073709551616\n"),
                "line 2: live: expected a number",
            ),
            (
                format!("{header}\n{}\n", "9".repeat(20_000)),
                "line 2: cannot read: more than 16384 bytes",
            ),
            (
                format!("{}\n", "\r".repeat(16_383)).repeat(8193),
                "line 8193: no table of a game has more than 134217728 bytes",
            ),
        ] {
            assert!(refused(&text).starts_with(said), "{}", refused(&text));
        }
        let binary = Table::read_csv(&[0u8, 159, 146, 150, 10, 255][..]).unwrap_err();
        assert_eq!(binary.to_string(), "line 1: not text in UTF-8");
        let utf_16 = Table::read_csv(&b"\xff\xfes\0u\0m\0,\0"[..]).unwrap_err();
        let said = "line 1: not text in UTF-8: saved by a spreadsheet? Save it as CSV in UTF-8";
        assert_eq!(utf_16.to_string(), said);
    }
}
