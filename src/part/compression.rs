//! Compression by zstd.
//!
//! Key idea: too little memory for a context is an error. The types of the crate `zstd` panic.

use std::io;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, WriteBuf, get_error_name};

use crate::error::{Error, Result};

/// Compresses at one level.
pub(super) struct Compressor(CCtx<'static>);

impl Compressor {
    /// A compressor at a level from 1 to 22, or below 0.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if there is too little memory.
    pub(super) fn new(level: i32) -> Result<Self> {
        let mut context = CCtx::try_create().ok_or_else(no_memory)?;
        let level = CParameter::CompressionLevel(level);
        context.set_parameter(level).map_err(error)?;
        Ok(Self(context))
    }

    /// Write a frame to the start of `to`. Returns its number of bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if there is too little memory, or if `to` is too short.
    pub(super) fn compress(
        &mut self,
        bytes: &[u8],
        to: &mut (impl WriteBuf + ?Sized),
    ) -> Result<usize> {
        self.0.compress2(to, bytes).map_err(error)
    }
}

/// Decompresses frames.
pub(super) struct Decompressor(DCtx<'static>);

impl Decompressor {
    /// A decompressor.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if there is too little memory.
    pub(super) fn new() -> Result<Self> {
        DCtx::try_create().map(Self).ok_or_else(no_memory)
    }

    /// Write the contents of frames to the start of `to`. Returns their number of bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if the frames are damaged, or if their contents exceed the capacity of `to`.
    pub(super) fn decompress(
        &mut self,
        frames: &[u8],
        to: &mut (impl WriteBuf + ?Sized),
    ) -> Result<usize> {
        self.0.decompress(to, frames).map_err(error)
    }
}

fn no_memory() -> Error {
    Error::Zstd(io::ErrorKind::OutOfMemory.into())
}

fn error(code: ErrorCode) -> Error {
    Error::Zstd(io::Error::other(get_error_name(code)))
}
