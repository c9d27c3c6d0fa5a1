//! Files of boards or values: damaged at random, or forged with checksums that agree.

use enum48::Error;
use fastrand::Rng;

use super::damage::{damage, interesting, put, region};
use super::kind;

// The layout that `src/part/mod.rs` describes.
const HEADER: usize = 40;
const HEADER_OF_VALUES: usize = 60;
pub(crate) const PREFIX: usize = 20;
const ENTRY: usize = 16;
const FOOTER: usize = 40;
/// Number of boards or values in the largest block that a header may claim.
const LARGEST_BLOCK: u32 = 1 << 20;

/// The kind of an error; for damage, also the cause, without its numbers.
pub(crate) fn kind_and_cause<T>(result: &Result<T, Error>) -> String {
    match result {
        Err(Error::Damaged { what, .. }) => {
            let words: String = what.chars().filter(|c| !c.is_ascii_digit()).collect();
            format!("Damaged: {words}")
        }
        _ => kind(result),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A sound file and its contents: states or values.
pub(crate) struct Sample<T> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) contents: Vec<T>,
}

impl<T> Sample<T> {
    /// A file whose blocks have `block` boards or values, maybe fewer than the program would write.
    /// The header is set to `block`.
    pub(crate) fn new(mut bytes: Vec<u8>, block: usize, contents: Vec<T>) -> Self {
        bytes[24..28].copy_from_slice(&(block as u32).to_le_bytes());
        seal_header(&mut bytes);
        Self { bytes, contents }
    }

    /// The header up to block 0. Damage to the kind comes later, and does not move block 0.
    fn header(&self) -> &[u8] {
        let header = if self.bytes[12] == 2 {
            HEADER_OF_VALUES
        } else {
            HEADER
        };
        &self.bytes[..header]
    }

    /// The blocks, at the offsets in the index.
    fn blocks(&self) -> Vec<Vec<u8>> {
        let end = self.bytes.len() - FOOTER;
        let count = u64_at(&self.bytes, end + 8) as usize;
        let index = end - ENTRY * count;
        let offset = |block| u64_at(&self.bytes, index + ENTRY * block) as usize;
        (0..count)
            .map(|block| {
                let next = if block + 1 < count {
                    offset(block + 1)
                } else {
                    index
                };
                self.bytes[offset(block)..next].to_vec()
            })
            .collect()
    }
}

/// A random sample. The last one has several whole blocks and decodes slowly, so it is rare.
pub(crate) fn pick<'a, T>(rng: &mut Rng, samples: &'a [Sample<T>]) -> &'a Sample<T> {
    let (large, small) = samples.split_last().unwrap();
    if rng.u8(0..64) == 0 {
        large
    } else {
        &small[rng.usize(0..small.len())]
    }
}

fn seal_header(bytes: &mut [u8]) {
    let crc = crc32fast::hash(&bytes[..36]);
    bytes[36..40].copy_from_slice(&crc.to_le_bytes());
}

fn seal_about(bytes: &mut [u8]) {
    let crc = crc32fast::hash(&bytes[40..56]);
    bytes[56..60].copy_from_slice(&crc.to_le_bytes());
}

fn seal_footer(bytes: &mut [u8]) {
    let crc = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
}

fn seal_block(bytes: &mut [u8]) {
    if bytes.len() >= PREFIX {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..16]);
        crc.update(&bytes[PREFIX..]);
        bytes[16..20].copy_from_slice(&crc.finalize().to_le_bytes());
    }
}

/// A sample damaged in some places, or rarely random bytes.
pub(crate) fn damaged<T>(rng: &mut Rng, samples: &[Sample<T>]) -> Vec<u8> {
    if rng.u8(0..50) == 0 {
        let length = region(rng, 4096).len();
        return std::iter::repeat_with(|| rng.u8(..)).take(length).collect();
    }
    let mut bytes = pick(rng, samples).bytes.clone();
    for _ in 0..=rng.u32(0..3) {
        let other = &pick(rng, samples).bytes;
        damage(rng, &mut bytes, other);
    }
    bytes
}

/// Damages the contents of a block of at least [`PREFIX`] bytes.
type DamageContents = fn(&mut Rng, &mut Vec<u8>);

/// Damages a file's blocks. Half of the time it damages the decoded contents of one block.
fn damage_blocks(rng: &mut Rng, blocks: &mut Vec<Vec<u8>>, damage_contents: DamageContents) {
    if blocks.is_empty() {
        blocks.push(vec![0; PREFIX]);
    }
    let at = rng.usize(0..blocks.len());
    let to = rng.usize(0..blocks.len());
    let block = &mut blocks[at];
    match rng.u8(0..14) {
        0..7 if block.len() >= PREFIX => damage_contents(rng, block),
        7 => put(block, 0, &interesting(rng, 0).to_le_bytes()),
        8 => put(block, 8, &(interesting(rng, 0) as u32).to_le_bytes()),
        9 => {
            let mut payload = block.split_off(block.len().min(PREFIX));
            let other = block.clone();
            damage(rng, &mut payload, &other);
            block.extend(payload);
        }
        10 => damage(rng, block, &[]),
        11 => blocks.swap(at, to),
        12 => drop(blocks.remove(at)),
        _ => {
            let copy = blocks[at].clone();
            blocks.insert(to, copy);
        }
    }
}

/// A damaged sample with checksums that agree. No accident makes this file, but only a forged file
/// reaches the code behind the checksums.
pub(crate) fn forged<T>(
    rng: &mut Rng,
    samples: &[Sample<T>],
    damage_contents: DamageContents,
) -> Vec<u8> {
    let sample = pick(rng, samples);
    let rarely = |rng: &mut Rng| rng.u8(0..6) == 0;
    let mut blocks = sample.blocks();
    for _ in 0..rng.u32(0..3) {
        damage_blocks(rng, &mut blocks, damage_contents);
    }
    let mut file = sample.header().to_vec();
    let (mut index, mut count) = (Vec::new(), 0);
    for block in &mut blocks {
        let stored = block.len().saturating_sub(PREFIX) as u32;
        if block.len() >= PREFIX {
            count += u64::from(u32_at(block, 8));
            if !rarely(rng) {
                put(block, 12, &stored.to_le_bytes());
            }
        }
        seal_block(block);
        index.extend((file.len() as u64).to_le_bytes());
        let mut first = [0; 8];
        put(&mut first, 0, &block[..block.len().min(8)]);
        index.extend(first);
        file.extend(&*block);
    }
    if rarely(rng) {
        damage(rng, &mut index, &[]);
    }
    if rarely(rng) {
        let word = interesting(rng, file.len()).to_le_bytes();
        let at = rng.usize(0..=index.len()) & !7;
        put(&mut index, at, &word);
    }
    let mut footer = sample.bytes[sample.bytes.len() - FOOTER..].to_vec();
    put(&mut footer, 0, &count.to_le_bytes());
    let entries = (index.len() / ENTRY) as u64;
    put(&mut footer, 8, &entries.to_le_bytes());
    put(&mut footer, 24, &crc32fast::hash(&index).to_le_bytes());
    file.extend(index);
    if rarely(rng) {
        let at = 8 * rng.usize(0..4);
        put(&mut footer, at, &interesting(rng, file.len()).to_le_bytes());
    }
    seal_footer(&mut footer);
    file.extend(footer);
    let length = file.len() as u64;
    put(&mut file, 28, &length.to_le_bytes());
    if rarely(rng) {
        let fields = [8, 12, 13, 16, 20, 24, 28];
        let at = fields[rng.usize(0..fields.len())];
        let word = interesting(rng, file.len()).to_le_bytes();
        let width = [1, 4, 8][rng.usize(0..3)];
        put(&mut file[..36], at, &word[..width]);
    }
    if rarely(rng) {
        put(&mut file, 24, &LARGEST_BLOCK.to_le_bytes());
    }
    seal_header(&mut file);
    if sample.header().len() == HEADER_OF_VALUES {
        if rarely(rng) {
            let at = 40 + 4 * rng.usize(0..4);
            let word = interesting(rng, file.len()).to_le_bytes();
            put(&mut file[..56], at, &word[..4]);
        }
        seal_about(&mut file);
    }
    file
}
