//! The `enum48` program; everything is in the library, but for what happens when memory runs out.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::{self, ExitCode};

fn main() -> ExitCode {
    enum48::cli::run()
}

/// The system's allocator. Where it gives no more, the process would abort without a word of what to
/// do; as a count may end at any moment without harm, this one says it and ends.
struct Plain;

#[global_allocator]
static ALLOCATOR: Plain = Plain;

fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        eprintln!(
            "enum48: memory: the system gives no {bytes} bytes more: what was sealed stays: give less \
             --memory or fewer --threads, then the same command again"
        );
        process::exit(2);
    }
    memory
}

// SAFETY: every call is passed on to the system's allocator as it is, and its answer back unless it
// is null, when the call does not return.
#[expect(unsafe_code, reason = "an allocator has no safe form")]
unsafe impl GlobalAlloc for Plain {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(test)]
mod tests {
    /// Run it under Miri: `cargo +nightly miri test --bin enum48`.
    #[test]
    fn memory_is_what_the_system_gives() {
        let mut bytes = vec![0u8; 1000];
        assert!(bytes.iter().all(|&byte| byte == 0));
        bytes.fill(7);
        bytes.resize(100_000, 9);
        bytes.shrink_to(10);
        assert!(bytes.iter().take(1000).all(|&byte| byte == 7));
        assert_eq!(bytes.iter().filter(|&&byte| byte == 9).count(), 99_000);
    }
}
