//! The boards of a run, some at a time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyArray1;
use pyo3::prelude::*;

use super::arrays::array;
use super::background::work;
use super::files::each;
use super::pool::cores;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Kind, Part};
use crate::store::Run;

/// Blocks that are read at once, for each core.
const AHEAD: usize = 4;

/// An iterator over the boards of some parts, a block of each at a time: what Run.blocks returns.
#[pyclass(frozen, module = "enum48")]
pub(super) struct Blocks {
    run: Arc<Run>,
    kind: Kind,
    left: Mutex<Left>,
}

/// What is still to be given.
struct Left {
    parts: VecDeque<PartKey>,
    /// The part that is being read, and its next block.
    open: Option<(Arc<Part>, usize)>,
    read: VecDeque<Vec<Board>>,
}

/// A block of a part, and its boards once they are read.
type Reading = (Arc<Part>, usize, Vec<Board>);

impl Blocks {
    /// Those of these parts, in their order.
    pub(super) fn new(run: Arc<Run>, kind: Kind, parts: VecDeque<PartKey>) -> Self {
        Self {
            run,
            kind,
            left: Mutex::new(Left {
                parts,
                open: None,
                read: VecDeque::new(),
            }),
        }
    }
}

#[pymethods]
impl Blocks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<Board>>>> {
        let left = || self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(boards) = py.detach(|| left().read.pop_front()) {
            return Ok(Some(array(py, boards)));
        }
        let next = work(py, |stop| {
            let mut left = left();
            let mut blocks = left.take(AHEAD * cores(), &self.run, self.kind)?;
            let tasks = blocks.iter_mut().collect();
            each(tasks, stop, |buffers, (part, block, boards)| {
                *boards = buffers.block(part, *block)?.to_vec();
                Ok(())
            })?;
            left.read
                .extend(blocks.into_iter().map(|(_, _, boards)| boards));
            Ok(left.read.pop_front())
        })?;
        Ok(next.map(|boards| array(py, boards)))
    }
}

impl Left {
    /// The next blocks, up to so many, with room for their boards.
    fn take(&mut self, most: usize, run: &Run, kind: Kind) -> Result<Vec<Reading>> {
        let mut blocks = Vec::new();
        while blocks.len() < most {
            match &mut self.open {
                Some((part, next)) if *next < part.blocks() => {
                    blocks.push((part.clone(), *next, Vec::new()));
                    *next += 1;
                }
                _ => {
                    let Some(key) = self.parts.pop_front() else {
                        break;
                    };
                    let part = run.part(kind, key)?;
                    self.open = part.map(|part| (Arc::new(part), 0));
                }
            }
        }
        Ok(blocks)
    }
}
