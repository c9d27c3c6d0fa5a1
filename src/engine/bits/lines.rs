//! Memory for lines, kept from layer to layer.
//!
//! Key idea: rows of a matrix lie far apart, and to look up the place of each small page costs more
//! than to read the row. So large memory asks the system for large pages, and is never given back
//! before it is needed no longer: in the loop over layers no page is new.

use std::ops::{Deref, DerefMut};

use super::kernels::BitLine;
use crate::error::Result;
use crate::pages::Pages;

/// Lines in memory of their own.
#[derive(Default)]
pub(crate) struct LineMemory {
    pages: Pages<BitLine>,
    len: usize,
}

impl LineMemory {
    /// Make this so many lines; what is in them is left over from before.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the system has no more memory.
    pub(crate) fn resize(&mut self, len: usize) -> Result<()> {
        if self.pages.len() < len {
            self.pages = Pages::default();
            // Layers grow: pages that are not touched yet take nothing.
            self.pages = Pages::new(len + len / 4)?;
        }
        self.len = len;
        Ok(())
    }
}

impl Deref for LineMemory {
    type Target = [BitLine];

    fn deref(&self) -> &[BitLine] {
        &self.pages[..self.len]
    }
}

impl DerefMut for LineMemory {
    fn deref_mut(&mut self) -> &mut [BitLine] {
        &mut self.pages[..self.len]
    }
}
