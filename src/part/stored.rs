//! zstd frames that hold uncompressed bytes.
//!
//! They serve blocks that are read once and soon. Any zstd decoder reads them, at the speed of a
//! copy. Format: RFC 8878, 3.1.1.

/// The first bytes of every frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Frame header: one segment, and the length of the contents in four bytes.
const DESCRIPTOR: u8 = 0xa0;

/// Maximum number of bytes in a block of a frame.
const MOST: usize = 128 << 10;

/// Append a frame of `bytes` to `out`, in blocks of type *raw*.
pub(super) fn put(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(MAGIC);
    out.push(DESCRIPTOR);
    out.extend((bytes.len() as u32).to_le_bytes());
    let mut rest = bytes;
    loop {
        let (block, behind) = rest.split_at(rest.len().min(MOST));
        let last = behind.is_empty();
        let header = u32::from(last) | (block.len() as u32) << 3;
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(block);
        if last {
            return;
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_decoder_reads_stored_frames() {
        for length in [0, 1, 1000, MOST - 1, MOST, MOST + 1, 3 * MOST, 400_000] {
            let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            let mut frame = Vec::new();
            put(&bytes, &mut frame);
            assert_eq!(
                zstd::bulk::decompress(&frame, length).unwrap(),
                bytes,
                "{length}"
            );
        }
    }
}
