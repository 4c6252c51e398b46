//! The global allocator.

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t};
use mcl_diagnostics::Files;

/// A compilation makes many small allocations from several threads: a third faster than with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A program of less source text takes little more memory than the process itself.
const MIN_SOURCE_BYTES: usize = 256 << 10;

/// For more source text, free memory is kept for [`LARGE_PURGE_DELAY_MS`], which saves a tenth of the time.
const LARGE_SOURCE_BYTES: usize = 4 << 20;

const LARGE_PURGE_DELAY_MS: i64 = 3;

/// How long the allocator keeps free memory, in milliseconds. The bindings have no name for it.
const PURGE_DELAY: mi_option_t = 15;

/// Returns what gives the memory that a stage has freed back to the system, for a program of these files. Each stage drops its
/// input, and the allocator would keep that memory for a second, which is longer than most compilations take.
pub fn give_back_between_stages(files: &Files) -> impl Fn() + use<> {
    let source_bytes: usize = files.files.values().map(|file| file.text.len()).sum();
    let is_small = source_bytes < MIN_SOURCE_BYTES;
    if !is_small {
        keep_free_memory(if source_bytes < LARGE_SOURCE_BYTES { 0 } else { LARGE_PURGE_DELAY_MS });
    }
    move || {
        if !is_small {
            // Each thread keeps what it allocated. Nobody waits for the others, which may be at work for other programs.
            rayon::spawn_broadcast(|_| give_back());
            give_back();
        }
    }
}

/// Sets how long free memory stays with the process.
#[allow(unsafe_code)]
fn keep_free_memory(milliseconds: i64) {
    // SAFETY: the option exists. Its value is one word, which mimalloc, too, reads and writes without a lock.
    unsafe { mi_option_set(PURGE_DELAY, milliseconds) }
}

/// Returns the free memory of this thread to the system.
#[allow(unsafe_code)]
fn give_back() {
    // SAFETY: it takes nothing, returns nothing, and may be called by any thread at any time.
    unsafe { mi_collect(true) }
}

#[cfg(test)]
mod tests {
    use super::PURGE_DELAY;

    #[test]
    #[allow(unsafe_code)]
    fn the_option_is_the_one_that_is_meant() {
        // SAFETY: it only reads an option, also one that does not exist.
        let values =
            [PURGE_DELAY - 1, PURGE_DELAY, PURGE_DELAY + 1].map(|at| unsafe { libmimalloc_sys::mi_option_get(at) });
        // It is the only one of its neighbours with a time, by default a second.
        assert_eq!(values, [1, 1000, 0]);
    }
}
