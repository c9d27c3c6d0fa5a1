//! Wide instructions of the processor, and prefetching of memory.
//!
//! Key idea: if the work after a look-up depends on it, a core waits for one look-up after another.
//! If thousands of cache lines are prefetched together, they arrive in parallel. They stay in the
//! second-level cache until they are read.

/// Compile a function for AVX-512, for AVX2 and for any machine. The version is chosen at run time,
/// at each call, so these functions take slices.
macro_rules! wide {
    ($function:item) => {
        #[multiversion::multiversion(targets(
            "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vbmi2+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
            "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
        ))]
        $function
    };
}

pub(crate) use wide;

/// Prefetch the cache line of an item; `at` may be out of bounds. This does nothing on processors
/// for which Rust has no stable prefetch instruction.
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
