//! `solve --csv`: what the afterstates of each part are worth.

use anyhow::Result;

use crate::solve::PartWorth;
use crate::store::{Goal, Sink};

/// Write a row for each part, with three columns for each goal. The names are a contract.
pub(super) fn write(parts: &[PartWorth], goals: &[Goal], to: &mut Sink) -> Result<()> {
    let mut csv = csv::Writer::from_writer(to);
    let mut names = vec![
        "sum".to_owned(),
        "max_tile".to_owned(),
        "afterstates".to_owned(),
    ];
    for goal in goals {
        let columns = ["least", "mean", "greatest"].into_iter();
        names.extend(columns.map(|column| format!("{}_{column}", goal.objective)));
    }
    csv.write_record(&names)?;
    for part in parts {
        let mut row = vec![
            part.key.sum.to_string(),
            part.key.max.tile().to_string(),
            part.afterstates.to_string(),
        ];
        for worth in &part.worth {
            let numbers = [worth.least, worth.mean, worth.greatest].into_iter();
            row.extend(numbers.map(|number| number.to_string()));
        }
        csv.write_record(&row)?;
    }
    Ok(csv.flush()?)
}
