//! Kernels compiled for several kinds of processor.

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
