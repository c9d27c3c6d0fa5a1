//! Memory for lines, kept from layer to layer.
//!
//! Key idea: rows of a matrix lie far apart, and to look up the place of each small page costs more
//! than to read the row. So large memory asks the system for large pages, and is never given back
//! before it is needed no longer: in the loop over layers no page is new.

use std::alloc::{Layout, handle_alloc_error};
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use super::kernels::Line;

/// Lines in memory of their own.
#[derive(Default)]
pub(crate) struct Lines {
    map: Option<MmapMut>,
    len: usize,
}

impl Lines {
    /// Make this so many lines; what is in them is left over from before.
    pub(crate) fn resize(&mut self, len: usize) {
        self.len = len;
        let bytes = len * size_of::<Line>();
        if self.map.as_ref().map_or(0, |map| map.len()) < bytes {
            self.map = None;
            // Layers grow: pages that are not touched yet take nothing.
            let layout = Layout::array::<Line>(len + len / 4).expect("less than the address space");
            let map =
                MmapMut::map_anon(layout.size()).unwrap_or_else(|_| handle_alloc_error(layout));
            #[cfg(target_os = "linux")]
            // A system without large pages is only slower.
            let _ = map.advise(memmap2::Advice::HugePage);
            self.map = Some(map);
        }
    }
}

impl Deref for Lines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        let bytes = self.map.as_ref().map_or(&[][..], |map| map);
        bytemuck::cast_slice(&bytes[..self.len * size_of::<Line>()])
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [Line] {
        let bytes = self.map.as_mut().map_or(&mut [][..], |map| map);
        bytemuck::cast_slice_mut(&mut bytes[..self.len * size_of::<Line>()])
    }
}
