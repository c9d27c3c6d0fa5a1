//! The `enum48` program: the library's command line, and an exit with advice when memory runs out.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::process::{self, ExitCode};
use std::sync::{Mutex, Once};

/// Bytes of address space for the last acts when memory runs out.
const RESERVE: usize = 1 << 20;

static RESERVED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn main() -> ExitCode {
    if let Ok(mut reserved) = RESERVED.lock() {
        reserved.reserve(RESERVE);
    }
    enum48::cli::run()
}

/// The system's allocator, but on out-of-memory it prints the remedy and exits with 2, instead of
/// aborting. A count may end at any moment without harm.
struct ExitWhenOut;

#[global_allocator]
static ALLOCATOR: ExitWhenOut = ExitWhenOut;

/// Lets one thread print the remedy and end the process; other threads wait.
static OUT: Once = Once::new();

thread_local! {
    /// Whether this thread is ending the process.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// On out-of-memory, print the remedy and exit with 2. The clean-up may run out of memory, too.
fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        if !ENDING.replace(true) {
            OUT.call_once(|| {
                if let Ok(mut reserved) = RESERVED.lock() {
                    *reserved = Vec::new();
                }
                enum48::cli::clean_up_without_memory(bytes);
                process::exit(2)
            });
        }
        process::exit(2);
    }
    memory
}

// SAFETY: every call goes to the system's allocator unchanged, and its result is returned
// unchanged. If the result is null, the call does not return.
#[expect(unsafe_code, reason = "an allocator has no safe form")]
unsafe impl GlobalAlloc for ExitWhenOut {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        or_exit(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        or_exit(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        or_exit(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(test)]
mod tests {
    /// Run it under Miri: `cargo +nightly miri test --bin enum48`.
    #[test]
    fn allocated_memory_keeps_its_contents() {
        let mut bytes = vec![0u8; 1000];
        assert!(bytes.iter().all(|&byte| byte == 0));
        bytes.fill(7);
        bytes.resize(100_000, 9);
        bytes.shrink_to(10);
        assert!(bytes.iter().take(1000).all(|&byte| byte == 7));
        assert_eq!(bytes.iter().filter(|&&byte| byte == 9).count(), 99_000);
    }
}
