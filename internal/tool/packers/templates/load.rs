/// Reads a value of the bytes at an offset.
///
/// # Safety
///
/// The bytes have to be a value of the type.
unsafe fn load<T: Copy>(bytes: &[u8], at: usize) -> T {
    let bytes = &bytes[at..at + core::mem::size_of::<T>()];
    unsafe { core::ptr::read_unaligned(bytes.as_ptr().cast()) }
}

