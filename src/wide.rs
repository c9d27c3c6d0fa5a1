//! Code that makes use of the processor: wide instructions, and memory that is asked for early.
//!
//! Key idea: a core waits for one look-up after the other if work that depends on the look-up follows
//! at once. When some thousand lines of memory are asked for in one go beforehand, they arrive side
//! by side and stay in the second cache until they are read.

/// Compile a function for AVX-512, for AVX2 and for any machine; which one runs is decided when the
/// program runs. A call costs a dispatch, so such functions take slices.
macro_rules! wide {
    ($function:item) => {
        #[multiversion::multiversion(targets(
            "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
            "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
        ))]
        $function
    };
}

pub(crate) use wide;

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
