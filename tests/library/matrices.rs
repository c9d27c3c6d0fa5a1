//! Forged matrices with right checksums: each is refused by name, or holds the boards that it held.

#![expect(clippy::disallowed_methods, reason = "the tests forge files by hand")]

use std::fs;
use std::path::Path;

use enum48::engine::{self, Plan, Silent};
use enum48::part::fingerprint;
use enum48::read::Reader;
use enum48::store::{Keep, Run, Store};
use enum48::verify;
use enum48::{Error, Game};

use crate::files::in_memory;
use crate::manifest::seal_manifest;
use crate::read::reader;

/// Lengths of the header, of the footer, of an index entry, of the head of a block, and of the shape of
/// a matrix.
const HEADER: usize = 40;
const FOOTER: usize = 40;
const ENTRY: usize = 16;
const HEAD: usize = 20;
const SHAPE: usize = 12;

/// The blocks of a file of matrices: the weight, the shape and the packed matrix.
type Blocks = Vec<(u64, Vec<u8>, Vec<u8>)>;

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn blocks(file: &[u8]) -> Blocks {
    let mut at = HEADER;
    let count = number(&file[file.len() - FOOTER + 8..][..8]);
    let blocks = (0..count).map(|_| {
        let (head, rest) = file[at..].split_at(HEAD);
        let (shape, frame) = rest[..number(&head[12..16])].split_at(SHAPE);
        at += HEAD + SHAPE + frame.len();
        let packed = zstd::decode_all(frame).unwrap();
        (number(&head[..8]) as u64, shape.to_vec(), packed)
    });
    blocks.collect()
}

/// The file of some blocks, with the header of another file. Also returns its fingerprint.
fn file(header: &[u8], blocks: &Blocks) -> (Vec<u8>, u64) {
    let (mut file, mut index, mut print) = (header[..HEADER].to_vec(), Vec::new(), 0u64);
    let seal = |bytes: &mut Vec<u8>, from: usize| {
        let crc = crc32fast::hash(&bytes[from..]);
        bytes.extend(crc.to_le_bytes());
    };
    for (top, shape, packed) in blocks {
        index.extend((file.len() as u64).to_le_bytes());
        index.extend(top.to_le_bytes());
        let payload = [&shape[..], &zstd::encode_all(&packed[..], 1).unwrap()].concat();
        let at = file.len();
        file.extend(top.to_le_bytes());
        file.extend(1u32.to_le_bytes());
        file.extend((payload.len() as u32).to_le_bytes());
        let crc = crc32fast::hash(&[&file[at..], &payload].concat());
        file.extend(crc.to_le_bytes());
        file.extend(payload);
        let contents = u64::from(crc32fast::hash(&[&shape[..], packed].concat()));
        print = print.wrapping_add(fingerprint(&[top << 32 | contents]).0);
    }
    assert_eq!(index.len(), ENTRY * blocks.len());
    let mut footer = Vec::new();
    for number in [blocks.len() as u64, blocks.len() as u64, print] {
        footer.extend(number.to_le_bytes());
    }
    footer.extend(crc32fast::hash(&index).to_le_bytes());
    seal(&mut footer, 0);
    footer.extend(b"enum48/.");
    file.extend(index);
    file.extend(footer);
    let mut header = file[..28].to_vec();
    header.extend((file.len() as u64).to_le_bytes());
    seal(&mut header, 0);
    file[..HEADER].copy_from_slice(&header);
    (file, print)
}

/// Replaces the file of matrices of a sum, and its entry in the manifest.
fn forge(dir: &Path, sum: u32, blocks: &Blocks) {
    let path = dir.join(format!("sum-{sum:05}.matrices"));
    let (file, print) = file(&fs::read(&path).unwrap(), blocks);
    let manifest = dir.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let all = text.find("\"matrices\": [").unwrap();
    let name = format!("\"name\": \"sum-{sum:05}.matrices\",");
    let entry = all + text[all..].find(&name).unwrap();
    let end = entry + text[entry..].find('}').unwrap();
    let count = blocks.len();
    let new = format!(
        "{name}\n      \"states\": {count},\n      \"bytes\": {},\n      \"fingerprint\": \"{print:016x}\"\n    ",
        file.len()
    );
    let mut text = format!("{}{new}{}", &text[..entry], &text[end..]).into_bytes();
    seal_manifest(&mut text);
    fs::write(manifest, text).unwrap();
    fs::write(path, file).unwrap();
}

fn open(dir: &Path) -> Reader {
    reader(Run::open(dir).unwrap())
}

#[test]
fn forged_matrices_are_refused_by_name() {
    let game: Game = "4x4-8".parse().unwrap();
    let (place, sum) = (in_memory(), 26);
    let dir = place.path();
    let plan = Plan::new(1 << 30, 2).unwrap();
    let mut store = Store::open(dir, &game, Some(Keep::Matrices)).unwrap();
    engine::count(&mut store, &plan, Some(sum), &mut Silent).unwrap();
    drop(store);
    let pool = engine::pool(2).unwrap();
    let named = |error: &Error| match error {
        Error::Damaged { path, .. } => path.ends_with(format!("sum-{sum:05}.matrices")),
        _ => false,
    };
    let findings = || {
        verify::verify(&open(dir), &pool, &mut Silent)
            .unwrap()
            .findings
    };
    let good = blocks(&fs::read(dir.join(format!("sum-{sum:05}.matrices"))).unwrap());
    forge(dir, sum, &good);
    assert!(findings().is_empty(), "the same blocks, compressed again");

    let mut forged: Vec<(String, Blocks)> = Vec::new();
    for (at, (top, _, packed)) in good.iter().enumerate() {
        let mut without = good.clone();
        without.remove(at);
        forged.push((format!("without {top}"), without));
        for byte in (at..packed.len()).step_by(11) {
            let mut blocks = good.clone();
            blocks[at].2[byte] ^= 1 << (byte % 8);
            forged.push((format!("byte {byte} of {top}"), blocks));
        }
    }
    let (mut refused, mut same) = (0, 0);
    for (what, blocks) in &forged {
        forge(dir, sum, blocks);
        let found = findings();
        if found.is_empty() {
            // Another image of the board has its bit, too, so the boards are the same.
            same += 1;
            continue;
        }
        refused += 1;
        assert!(found.iter().all(named), "{what}: {found:?}");
        let mut store = Store::open(dir, &game, None).unwrap();
        let counted = engine::count(&mut store, &plan, Some(sum + 2), &mut Silent);
        let error = counted.expect_err(what);
        assert!(named(&error), "{what}: {error}");
        assert_eq!(store.run().sealed_sum(), sum, "{what}");
    }
    assert!(refused > 40 && same <= refused / 20, "{refused} {same}");
}
