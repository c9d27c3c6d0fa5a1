//! Memory that is asked for before it is read.
//!
//! Key idea: a core waits for one look-up after the other if each is followed by work that depends
//! on it. Asked for in one go beforehand, some thousand lines of memory come side by side, and wait
//! in the second cache.

/// Ask for the line of memory of an item. The item need not be there. On processors for which Rust
/// has no stable instruction it does nothing.
#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "prefetching has no safe form")
)]
pub(crate) fn prefetch<T>(items: &[T], at: usize) {
    let item = items.as_ptr().wrapping_add(at);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch only fills the caches. It reads nothing and cannot fault, at any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(item.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
