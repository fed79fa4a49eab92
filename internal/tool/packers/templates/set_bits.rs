/// Sets bits of bytes, from a bit on.
fn set_bits(bytes: &mut [u8], start: usize, width: usize, x: u64) {
    for i in 0..width {
        let bit = start + i;
        bytes[bit / 8] &= !(1 << (bit % 8));
        bytes[bit / 8] |= ((x >> i & 1) as u8) << (bit % 8);
    }
}

