//! The boards of a run, some at a time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PySlice;

use super::arrays::made;
use super::background::work;
use super::files::{BlockPlace, read};
use crate::error::Result;
use crate::game::PartKey;
use crate::machine::cores;
use crate::part::{Kind, Part};
use crate::store::Run;

/// Blocks that are read at once, for each core.
const AHEAD: usize = 4;

/// An iterator over the boards of some parts, a block of each at a time: what Run.blocks returns.
#[pyclass(frozen, module = "enum48", name = "Blocks")]
pub(super) struct PyBlocks {
    run: Arc<Run>,
    kind: Kind,
    left: Mutex<BlocksLeft>,
}

/// What is still to be given.
#[derive(Default)]
struct BlocksLeft {
    parts: VecDeque<PartKey>,
    /// The part that is being read, and its next block.
    open: Option<(Arc<Part>, usize)>,
    /// The arrays of blocks that are read. They are views of one, since memory for them all comes on
    /// large pages.
    read: VecDeque<Py<PyAny>>,
}

impl PyBlocks {
    /// Those of these parts, in their order.
    pub(super) fn new(run: Arc<Run>, kind: Kind, parts: VecDeque<PartKey>) -> Self {
        let left = BlocksLeft {
            parts,
            ..BlocksLeft::default()
        };
        Self {
            run,
            kind,
            left: Mutex::new(left),
        }
    }

    fn left(&self) -> MutexGuard<'_, BlocksLeft> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Read some more blocks; return whether there were any.
    fn read_on(&self, py: Python<'_>) -> PyResult<bool> {
        let places = py.detach(|| {
            let most = AHEAD * cores();
            self.left().take(most, &self.run, self.kind)
        })?;
        let boards = made(
            py,
            &[places.iter().map(BlockPlace::boards).sum()],
            |boards| work(py, |stop| read(&places, boards, stop)),
        )?;
        let mut end = 0;
        let views = places.iter().map(|place| {
            let begin = end;
            end += place.boards();
            let view = boards.get_item(PySlice::new(py, begin as isize, end as isize, 1))?;
            Ok(view.unbind())
        });
        let views: Vec<Py<PyAny>> = views.collect::<PyResult<_>>()?;
        self.left().read.extend(views);
        Ok(!places.is_empty())
    }
}

#[pymethods]
impl PyBlocks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            if let Some(boards) = self.left().read.pop_front() {
                return Ok(Some(boards));
            }
            // As with a generator, nothing comes after an error: what was not read is not passed over.
            let any = self
                .read_on(py)
                .inspect_err(|_| *self.left() = BlocksLeft::default())?;
            if !any {
                return Ok(None);
            }
        }
    }
}

impl BlocksLeft {
    /// The next blocks, up to so many.
    fn take(&mut self, most: usize, run: &Run, kind: Kind) -> Result<Vec<BlockPlace<Arc<Part>>>> {
        let mut places = Vec::new();
        while places.len() < most {
            match &mut self.open {
                Some((part, next)) if *next < part.blocks() => {
                    places.push(BlockPlace {
                        part: part.clone(),
                        block: *next,
                    });
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
        Ok(places)
    }
}
