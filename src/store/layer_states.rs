//! The states of a layer, part after part.

use std::iter;
use std::vec::IntoIter;

use crate::error::Result;
use crate::game::Board;
use crate::part::{Part, Stream};

/// The live states of a layer; see [`Run::layer`](super::Run::layer). Holds one block at a time,
/// about 1 MiB, and an open file for each part. After an error it is at its end.
pub struct LayerStates {
    parts: IntoIter<Part>,
    stream: Option<Stream<Part>>,
}

impl LayerStates {
    pub(super) fn new(parts: Vec<Part>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let stream = parts.next().map(Stream::new).transpose()?;
        Ok(Self { parts, stream })
    }

    /// Go on to the next part; false if there is none.
    fn turn(&mut self) -> Result<bool> {
        self.stream = self.parts.next().map(Stream::new).transpose()?;
        Ok(self.stream.is_some())
    }
}

impl Iterator for LayerStates {
    type Item = Result<Board>;

    fn next(&mut self) -> Option<Result<Board>> {
        loop {
            match self.stream.as_mut()?.next() {
                Some(Ok(state)) => return Some(Ok(state)),
                Some(Err(error)) => {
                    self.stream = None;
                    return Some(Err(error));
                }
                None => match self.turn() {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

impl iter::FusedIterator for LayerStates {}
