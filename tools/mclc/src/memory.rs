//! The allocator.

/// A compile is many small allocations from several threads: a third faster than with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives memory that is free back to the system at once. Each stage drops what it was made from, and the allocator would keep
/// that, scattered, for a second: longer than most compiles take.
#[allow(unsafe_code)]
pub fn give_back() {
    // SAFETY: it takes nothing, returns nothing, and may be called by any thread at any time.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
