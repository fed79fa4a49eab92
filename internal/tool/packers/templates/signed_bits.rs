/// Returns bits of bytes, of which the highest is a sign.
fn signed_bits(bytes: &[u8], start: usize, width: usize) -> i64 {
    (bits(bytes, start, width) << (64 - width)) as i64 >> (64 - width)
}

