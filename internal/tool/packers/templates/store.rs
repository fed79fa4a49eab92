/// Writes a value, of a type without padding, to the bytes at an offset.
fn store<T: Copy>(bytes: &mut [u8], at: usize, x: T) {
    let bytes = &mut bytes[at..at + core::mem::size_of::<T>()];
    // SAFETY: the bytes are as many as the value has.
    unsafe { core::ptr::write_unaligned(bytes.as_mut_ptr().cast(), x) }
}

