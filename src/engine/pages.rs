//! Memory straight from the system, on large pages where it has them.

use std::io;

use memmap2::MmapMut;

/// This many bytes of zeros. Pages that are not touched take nothing.
pub(super) fn map(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes)?;
    // A system without large pages is only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}
