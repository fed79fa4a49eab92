// Reads requests, one a line, and answers each in a line: see export_test.go.
mod ptxabi;

use ptxabi::*;
use std::io::{self, BufRead, Write};

fn values(words: &mut dyn Iterator<Item = i32>) -> Vec<Value> {
    let n = words.next().unwrap();
    (0..n)
        .map(|_| {
            let kind = match words.next().unwrap() {
                0 => Kind::Data,
                1 => Kind::Opaque,
                _ => Kind::Unsized,
            };
            let (size, align) = (words.next().unwrap(), words.next().unwrap());
            Value { size, align, kind }
        })
        .collect()
}

fn places(list: &[Place]) -> String {
    let mut s = String::new();
    for p in list {
        let (place, reg, bank, off) = match p.loc {
            Loc::Nowhere => (0, 0, 0, 0),
            Loc::Reg(reg) => (1, reg, 0, 0),
            Loc::Stack(off) => (2, 0, 0, off),
            Loc::Const { bank, off } => (3, 0, bank, off),
            Loc::Indirect { reg, off } => (4, reg, 0, off),
        };
        s += &format!(" {},{},{},{},{},{},{}", place, reg, bank, off, p.size, p.align, p.words());
    }
    s
}

fn set(s: &RegSet) -> String {
    format!(" {:016x}{:016x}{:016x}{:016x}", s.0[3], s.0[2], s.0[1], s.0[0])
}

fn row(t: &Target) -> String {
    format!(
        "{} {} {}|{}|{}|{} {} {} {} {} {}|{}|{}|{}{}{}{}",
        t.name, t.sm, t.suffix, t.generation, t.toolkits, t.assumed_from, t.multi.per_block,
        t.passing.first, t.kernel.large_since.major, t.spelling.align_sp_table,
        t.spelling.call, t.spelling.load_const.b64, t.kernel.dispute, t.multi.blocks,
        set(&t.regs.callee_saved), set(&t.regs.uniform_disputed), set(&t.regs.barrier_callee_saved),
    )
}

fn answer(line: &str) -> String {
    let mut words = line.split_whitespace();
    let (what, name) = (words.next().unwrap(), words.next().unwrap());
    let words = &mut words.map(|w| w.parse::<i32>().unwrap());
    let given = |n: i32| if n == -1 { None } else { Some(n) };
    match what {
        "row" => {
            let status = match lookup(name) {
                Ok(_) => 0,
                Err(NoRow::Unmeasured) => 1,
                Err(NoRow::NoAbi) => 2,
                Err(NoRow::Unknown) => 3,
            };
            match assume(name) {
                Ok(t) => format!("{} {}", status, row(&t)),
                Err(_) => format!("none {}", status),
            }
        }
        "flawed" => {
            // An empty signature on a row that is none.
            let mut t = *lookup(name).unwrap();
            t.passing.count = words.next().unwrap();
            let mut errors = [Error::NONE; 1];
            match assign(&Signature::func(&[], &[]), &t, &mut [], &mut [], &mut errors) {
                Ok(_) => "0".to_string(),
                Err(_) => format!("{}", errors[0].code as u8),
            }
        }
        "regs" => {
            let f = lookup(name).unwrap().regs_with(given(words.next().unwrap()));
            format!("{}{}{}", f.ret_addr, set(&f.callee_saved), set(&f.caller_saved))
        }
        "limits" => {
            let t = lookup(name).unwrap();
            let n: Vec<i32> = words.collect();
            format!("{} {} {}", t.block_limit(n[0]), t.resident_limit(n[0], n[1]), t.max_kernel_params(n[2], n[3]))
        }
        _ => {
            let entry = words.next().unwrap() == 1;
            let preserve = given(words.next().unwrap());
            let (params, results) = (values(words), values(words));
            let sig = Signature { entry, params: &params, results: &results, preserve };
            let mut pp = vec![Place::NOWHERE; params.len()];
            let mut rp = vec![Place::NOWHERE; results.len()];
            let mut errors = [Error::NONE; 256];
            match assign(&sig, lookup(name).unwrap(), &mut pp, &mut rp, &mut errors) {
                Ok(a) => format!(
                    "{} {} {},{},{} params{} results{}",
                    a.sret.unwrap_or(RZ), a.stack_bytes, a.block_bank, a.block_base, a.block_size, places(&pp), places(&rp),
                ),
                Err(n) => {
                    errors[..n].iter().map(|e| format!("error {},{},{},{} ", e.param, e.is_result as u8, e.code as u8, e.reason)).collect()
                }
            }
        }
    }
}

fn main() {
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line.unwrap())).unwrap();
    }
}
