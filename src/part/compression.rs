//! Compression by zstd.
//!
//! Key idea: too little memory for a context is an error. The types of the crate `zstd` panic.

use std::io;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, get_error_name};

use crate::error::{Error, Result};

/// A compressor at a level from 1 to 22, or below 0.
///
/// # Errors
///
/// [`Error::Zstd`] if there is too little memory.
pub(super) fn compressor(level: i32) -> Result<CCtx<'static>> {
    let mut context = CCtx::try_create().ok_or_else(no_memory)?;
    let level = CParameter::CompressionLevel(level);
    context.set_parameter(level).map_err(error)?;
    Ok(context)
}

/// A decompressor.
///
/// # Errors
///
/// [`Error::Zstd`] if there is too little memory.
pub(super) fn decompressor() -> Result<DCtx<'static>> {
    DCtx::try_create().ok_or_else(no_memory)
}

fn no_memory() -> Error {
    Error::Zstd(io::ErrorKind::OutOfMemory.into())
}

/// The error of a call.
pub(super) fn error(code: ErrorCode) -> Error {
    Error::Zstd(io::Error::other(get_error_name(code)))
}
