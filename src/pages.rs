//! Large memory straight from the system, on large pages where it has them.
//!
//! Key idea: where look-ups go to places all over a large memory, the place of each page of 4 KiB
//! has to be looked up too, which costs as much again. A page of 2 MiB is looked up in a cache.

use std::io;
use std::marker::PhantomData;
use std::mem::{align_of, needs_drop};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::slice;

use bytemuck::Zeroable;
use memmap2::MmapMut;

use crate::error::{Error, Result};

/// Items in memory of their own, zero at first. Pages that are not touched take nothing.
pub(crate) struct Pages<T> {
    /// `None` if there are no items.
    map: Option<MmapMut>,
    len: usize,
    items: PhantomData<T>,
}

impl<T: Zeroable> Pages<T> {
    /// So many zeros.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the system has no more memory.
    pub(crate) fn new(len: usize) -> Result<Self> {
        const { assert!(!needs_drop::<T>() && align_of::<T>() <= 4096) };
        let map = (len > 0).then(|| map(len, size_of::<T>())).transpose();
        Ok(Self {
            map: map.map_err(Error::io(Path::new("memory"), "allocate"))?,
            len,
            items: PhantomData,
        })
    }
}

fn map(len: usize, size: usize) -> io::Result<MmapMut> {
    let bytes = len.checked_mul(size).ok_or(io::ErrorKind::OutOfMemory)?;
    let map = MmapMut::map_anon(bytes)?;
    // A system without large pages is only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self {
            map: None,
            len: 0,
            items: PhantomData,
        }
    }
}

impl<T> Deref for Pages<T> {
    type Target = [T];

    #[expect(unsafe_code, reason = "atomics in mapped memory have no safe form")]
    fn deref(&self) -> &[T] {
        let Some(map) = &self.map else {
            return &[];
        };
        // SAFETY: the map has `len` items, begins with a page, and is of this value alone. It began
        // as zeros, which are items as `T` is `Zeroable`, and only items were written since.
        unsafe { slice::from_raw_parts(map.as_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for Pages<T> {
    #[expect(unsafe_code, reason = "as above")]
    fn deref_mut(&mut self) -> &mut [T] {
        let Some(map) = &mut self.map else {
            return &mut [];
        };
        // SAFETY: as for `deref`, and this is the only reference to it.
        unsafe { slice::from_raw_parts_mut(map.as_mut_ptr().cast(), self.len) }
    }
}
