//! Reads cubins, each after a line with its size, and prints what their kernels take.
mod ptxabi_cubin;

use ptxabi_cubin::{Cubin, Error, Param};
use std::io::{BufRead, Read, Write};

fn print(data: &[u8], room: &mut [Param], to: &mut dyn Write) -> Result<(), Error> {
    let c = Cubin::open(data)?;
    writeln!(to, "sm {}", c.sm).unwrap();
    for k in c.kernels() {
        let k = k?;
        let (bank, base, size) = k.block.map_or((-1, -1, 0), |b| (b.bank as i32, b.base as i32, b.size));
        write!(to, "{} {} {} {}", k.name, bank, base, size).unwrap();
        for p in k.params(room)? {
            write!(to, " {},{},{},{}", p.offset.map_or(-1, |o| o as i32), p.size, p.pointee_align, p.space).unwrap();
        }
        writeln!(to).unwrap();
        assert!(k.count == 0 || k.params(&mut room[..k.count - 1]) == Err(Error::Room(k.count)));
    }
    assert!(c.kernel("no such kernel")?.is_none());
    Ok(())
}

fn main() {
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut room = vec![Param::NONE; 0x10000];
    let mut line = String::new();
    while input.read_line(&mut line).unwrap() > 0 {
        let mut data = vec![0; line.trim().parse().unwrap()];
        input.read_exact(&mut data).unwrap();
        if let Err(e) = print(&data, &mut room, &mut out) {
            writeln!(out, "error {}", e).unwrap();
        }
        writeln!(out, ".").unwrap();
        line.clear();
    }
}
