//! The global allocator.

/// A compilation makes many small allocations from several threads: a third faster than with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Returns free memory to the system at once. Each stage drops its input, and the allocator would keep that memory for a
/// second, which is longer than most compilations take.
#[allow(unsafe_code)]
pub fn give_back() {
    // SAFETY: it takes nothing, returns nothing, and may be called by any thread at any time.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
