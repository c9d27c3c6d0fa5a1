//! Large arrays in memory of their own, on large pages if the system has them.
//!
//! Key idea: a random look-up in a large memory also looks up the address of a page of 4 KiB, which
//! doubles its cost. The addresses of pages of 2 MiB fit in the processor's cache of addresses, the
//! TLB.

use std::io;
use std::marker::PhantomData;
use std::mem::{align_of, needs_drop};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::slice;

use bytemuck::Zeroable;
use memmap2::MmapMut;

use crate::error::{Error, Result};

/// An array of items that are zero at first. Pages that were never written take no memory.
pub(crate) struct Pages<T> {
    /// `None` if there are no items.
    map: Option<MmapMut>,
    len: usize,
    items: PhantomData<T>,
}

impl<T: Zeroable> Pages<T> {
    /// `len` zeros.
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
        // SAFETY: the map has `len` items, is aligned to a page, and belongs to this value alone.
        // It began as zeros, which are valid items because `T` is `Zeroable`. Since then, only
        // items were written.
        unsafe { slice::from_raw_parts(map.as_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for Pages<T> {
    #[expect(unsafe_code, reason = "as above")]
    fn deref_mut(&mut self) -> &mut [T] {
        let Some(map) = &mut self.map else {
            return &mut [];
        };
        // SAFETY: as for `deref`, and this is the only reference to the map.
        unsafe { slice::from_raw_parts_mut(map.as_mut_ptr().cast(), self.len) }
    }
}
