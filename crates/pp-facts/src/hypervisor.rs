//! The hypervisor, as the processor names it.

/// What hypervisors write in place of the vendor of a processor, and the names that `virtual` gives them.
const SIGNATURES: &[(&[u8; 12], &str)] = &[
    (b"KVMKVMKVM\0\0\0", "kvm"),
    (b"VMwareVMware", "vmware"),
    (b"VBoxVBoxVBox", "virtualbox"),
    (b"Microsoft Hv", "hyperv"),
    (b"XenVMMXenVMM", "xenhvm"),
    (b"bhyve bhyve ", "bhyve"),
    (b" lrpepyh  vr", "parallels"),
];

/// Returns the hypervisor with a signature.
pub(crate) fn with_signature(signature: &[u8; 12]) -> Option<&'static str> {
    SIGNATURES.iter().find(|(known, _)| *known == signature).map(|(_, name)| *name)
}

/// Returns the signature of the hypervisor that this process runs on; `None` on a physical machine.
#[cfg(target_arch = "x86_64")]
pub(crate) fn signature() -> Option<[u8; 12]> {
    use std::arch::x86_64::__cpuid;

    const FEATURES: u32 = 1;
    const HYPERVISOR_PRESENT: u32 = 1 << 31;
    const HYPERVISOR: u32 = 0x4000_0000;
    if __cpuid(FEATURES).ecx & HYPERVISOR_PRESENT == 0 {
        return None;
    }
    let answer = __cpuid(HYPERVISOR);
    let mut signature = [0; 12];
    for (bytes, register) in signature.chunks_exact_mut(4).zip([answer.ebx, answer.ecx, answer.edx]) {
        bytes.copy_from_slice(&register.to_le_bytes());
    }
    Some(signature)
}

/// Other processors do not name it.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn signature() -> Option<[u8; 12]> {
    None
}
