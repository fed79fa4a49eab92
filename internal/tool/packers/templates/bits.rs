/// Returns bits of bytes, from a bit on, the lowest first.
fn bits(bytes: &[u8], start: usize, width: usize) -> u64 {
    (0..width).fold(0, |x, i| {
        let bit = start + i;
        x | u64::from(bytes[bit / 8] >> (bit % 8) & 1) << i
    })
}

