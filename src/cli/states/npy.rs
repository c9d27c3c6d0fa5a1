//! States as a `NumPy` array: of uint64, or with values a structured array, of which each element is
//! a state and a float64 for each objective.

use std::io::{self, Write};
use std::iter;

use anyhow::Result;
use npyz::{DType, DTypeError, Field, NpyWriter, Serialize, TypeWrite, WriterBuilder};

use super::writer::{StateWriter, rows};
use crate::game::PartKey;
use crate::store::{Goal, Sink};

/// Begin an array of `count` states with values for these goals.
pub(super) fn writer<'a>(
    goals: &[Goal],
    count: u64,
    to: &'a mut Sink<'_>,
) -> Result<Box<dyn StateWriter + 'a>> {
    if goals.is_empty() {
        let options = npyz::WriteOptions::new().default_dtype().shape(&[count]);
        let array: NpyWriter<u64, _> = options.writer(to).begin_nd()?;
        return Ok(Box::new(array));
    }
    let field = |name: String, scalar: &str| {
        let dtype = DType::new_scalar(scalar.parse()?);
        Ok(Field { name, dtype })
    };
    let values = goals
        .iter()
        .map(|goal| field(goal.objective.to_string(), "<f8"));
    let fields = iter::once(field("state".to_owned(), "<u8")).chain(values);
    let dtype = DType::Record(fields.collect::<Result<_>>()?);
    let options = npyz::WriteOptions::new().dtype(dtype).shape(&[count]);
    let array: NpyWriter<NpyRow, _> = options.writer(to).begin_nd()?;
    Ok(Box::new(array))
}

impl StateWriter for NpyWriter<u64, &mut Sink<'_>> {
    fn write(&mut self, _: PartKey, states: &[u64], _: &[f64]) -> Result<()> {
        Ok(self.extend(states.iter().copied())?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok((*self).finish()?)
    }
}

impl StateWriter for NpyWriter<NpyRow, &mut Sink<'_>> {
    fn write(&mut self, _: PartKey, states: &[u64], values: &[f64]) -> Result<()> {
        for (state, values) in rows(states, values) {
            let mut row = NpyRow(state.to_le_bytes().to_vec());
            row.0
                .extend(values.iter().flat_map(|value| value.to_le_bytes()));
            self.push(&row)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok((*self).finish()?)
    }
}

/// The bytes of an element.
struct NpyRow(Vec<u8>);

/// Writes rows as they are.
struct RowWriter;

impl Serialize for NpyRow {
    type TypeWriter = RowWriter;

    fn writer(_: &DType) -> Result<RowWriter, DTypeError> {
        Ok(RowWriter)
    }
}

impl TypeWrite for RowWriter {
    type Value = NpyRow;

    fn write_one<W: Write>(&self, mut to: W, row: &NpyRow) -> io::Result<()> {
        to.write_all(&row.0)
    }
}
