//! Memory for lines, kept from layer to layer.
//!
//! Key idea: rows of a matrix lie far apart, and to look up the place of each small page costs more
//! than to read the row. So large memory asks the system for large pages, and is never given back
//! before it is needed no longer: in the loop over layers no page is new.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use memmap2::MmapMut;

use super::kernels::Line;
use crate::engine::pages;
use crate::error::{Error, Result};

/// Lines in memory of their own.
#[derive(Default)]
pub(crate) struct Lines {
    map: Option<MmapMut>,
    len: usize,
}

impl Lines {
    /// Make this so many lines; what is in them is left over from before.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the system has no more memory.
    pub(crate) fn resize(&mut self, len: usize) -> Result<()> {
        self.len = len;
        let bytes = len * size_of::<Line>();
        if self.map.as_ref().map_or(0, |map| map.len()) < bytes {
            self.map = None;
            // Layers grow: pages that are not touched yet take nothing.
            let map = pages::map(bytes + bytes / 4);
            self.map = Some(map.map_err(Error::io(Path::new("memory"), "allocate"))?);
        }
        Ok(())
    }
}

impl Deref for Lines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        let bytes = self.len * size_of::<Line>();
        let map = self.map.as_ref();
        map.map_or(&[], |map| bytemuck::cast_slice(&map[..bytes]))
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [Line] {
        let bytes = self.len * size_of::<Line>();
        let map = self.map.as_mut();
        map.map_or(&mut [], |map| bytemuck::cast_slice_mut(&mut map[..bytes]))
    }
}
