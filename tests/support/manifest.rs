//! Forged manifests.

/// Corrects the checksum of a manifest. It covers the text without spaces and without the checksum.
pub(crate) fn seal_manifest(bytes: &mut [u8]) {
    const FIELD: &[u8] = b",\n  \"crc32\": \"";
    let Some(at) = bytes.windows(FIELD.len()).rposition(|text| text == FIELD) else {
        return;
    };
    let mut inside = false;
    let compact = bytes[..at].iter().copied().filter(|&byte| {
        inside ^= byte == b'"';
        inside || !byte.is_ascii_whitespace()
    });
    let text: Vec<u8> = compact.chain([b'}']).collect();
    let crc = format!("{:08x}", crc32fast::hash(&text));
    let at = at + FIELD.len();
    let end = bytes.len().min(at + crc.len());
    bytes[at..end].copy_from_slice(&crc.as_bytes()[..end - at]);
}
