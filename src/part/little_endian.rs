//! Little-endian integers in the bytes of a file.

/// The `u32` at byte `at`.
///
/// # Panics
///
/// If fewer than four bytes follow.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The `u64` at byte `at`.
///
/// # Panics
///
/// If fewer than eight bytes follow.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
