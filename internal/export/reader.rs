//! What the kernels of a compiled cubin take.
//!
//! Written by `ptxabi export -lang rust -reader`. For `no_std`, without dependencies, allocation or
//! unsafe code; Rust 1.56 or later, in edition 2018 or later.
//!
//! The offsets and sizes of all parameters of a cubin in memory:
//!
//! ```ignore
//! for kernel in Cubin::open(data)?.kernels() {
//!     let (kernel, mut room) = (kernel?, [Param::NONE; 64]);
//!     for p in kernel.params(&mut room)? {
//!         println!("{}: {} bytes at {:?}", kernel.name, p.size, p.offset);
//!     }
//! }
//! ```
//!
//! No contents lead to a panic: what cannot be read is an error. The time is in proportion to the size
//! of the cubin.
#![forbid(unsafe_code)]
#![allow(dead_code, clippy::all)]

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Not an ELF file for CUDA.
    NotCubin,
    /// A cubin of a layout that is not known here.
    Unknown,
    /// Cut short, or not consistent; the number is the offset of what is wrong.
    Damaged(usize),
    /// The kernel has that many parameters, more than there is room for.
    Room(usize),
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::NotCubin => write!(f, "not a cubin"),
            Error::Unknown => write!(f, "a cubin of an unknown layout"),
            Error::Damaged(at) => write!(f, "the cubin is damaged at 0x{:x}", at),
            Error::Room(n) => write!(f, "there is no room for {} parameters", n),
        }
    }
}

/// A cubin in memory.
#[derive(Clone, Copy, Debug)]
pub struct Cubin<'a> {
    /// How many kernels have code in it.
    pub kernels: usize,
    /// 90 of `sm_90` and `sm_90a`.
    pub sm: u32,
    data: &'a [u8],
    wide: bool,
    table: usize,
    sections: usize,
    names: &'a [u8],
    symbols: &'a [u8],
    strings: &'a [u8],
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// Its symbol.
    pub name: &'a str,
    /// How many parameters it has.
    pub count: usize,
    /// Where they are; `None` if there are none that have a place.
    pub block: Option<Block>,
    records: &'a [u8],
    at: usize,
}

/// The block of a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The constant bank.
    pub bank: u32,
    /// Where the block begins in it.
    pub base: u32,
    /// Bytes from there to the end of the last parameter.
    pub size: u32,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// From the base of the block, as in the buffer of a launch; `None` of an opaque handle.
    pub offset: Option<u32>,
    /// 0 of an opaque handle.
    pub size: u32,
    /// Of `.ptr .align`; 1: nothing is recorded.
    pub pointee_align: u32,
    /// Of `.ptr`: 1 local, 2 shared, 3 const, 4 global; 6 texref, 7 surfref, 8 samplerref; 0: none.
    pub space: u8,
}

impl Param {
    /// No parameter.
    pub const NONE: Param = Param { offset: None, size: 0, pointee_align: 0, space: 0 };
}

fn u16_at(b: &[u8], at: usize) -> Option<u32> {
    let b = b.get(at..at.checked_add(2)?)?;
    Some(u32::from(b[0]) | u32::from(b[1]) << 8)
}

fn u32_at(b: &[u8], at: usize) -> Option<u32> {
    Some(u16_at(b, at)? | u16_at(b, at.checked_add(2)?)? << 16)
}

/// A word of the file's class, as far as it counts an address of this machine.
fn word_at(b: &[u8], wide: bool, at: usize) -> Option<usize> {
    let high = if wide { u32_at(b, at.checked_add(4)?)? } else { 0 };
    <usize as core::convert::TryFrom<u64>>::try_from(u64::from(u32_at(b, at)?) | u64::from(high) << 32).ok()
}

/// The name at a place in a table of strings.
fn name_at(strings: &[u8], at: u32) -> Option<&[u8]> {
    let rest = strings.get(at as usize..)?;
    Some(&rest[..rest.iter().position(|c| *c == 0)?])
}

#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    exec: bool,
    offset: usize,
    size: usize,
    link: usize,
    info: u32,
}

#[derive(Clone, Copy)]
struct Symbol {
    name: u32,
    kernel: bool,
    section: usize,
}

impl<'a> Cubin<'a> {
    /// Opens a cubin.
    pub fn open(data: &'a [u8]) -> Result<Cubin<'a>, Error> {
        if !data.starts_with(b"\x7fELF") || u16_at(data, 18) != Some(190) {
            return Err(Error::NotCubin);
        }
        let wide = data[4] == 2;
        let head = if wide { 64 } else { 52 };
        let cut = Error::Damaged(data.len());
        if data.len() < head {
            return Err(cut);
        }
        let flags = u32_at(data, if wide { 48 } else { 36 }).ok_or(cut)?;
        let sm = match (data[5], data[4], data[7], data[8]) {
            (1, 1, 0x33, 7) | (1, 2, 0x33, 7) => flags & 0xff,
            (1, 1, 0x41, 8) | (1, 2, 0x41, 8) => flags >> 8 & 0xff,
            _ => return Err(Error::Unknown),
        };
        let table = word_at(data, wide, if wide { 40 } else { 32 }).ok_or(cut)?;
        let mut c = Cubin { kernels: 0, sm, data, wide, table, sections: 1, names: &[], symbols: &[], strings: &[] };
        if table == 0 {
            c.sections = 0;
            return Ok(c);
        }
        let bad = Error::Damaged(table);
        let entry = if wide { 64 } else { 40 };
        let first = c.section(0).ok_or(bad)?; // which has what does not fit into the header
        let (size, mut count, mut names) = (u16_at(data, head - 6), u16_at(data, head - 4).ok_or(cut)? as usize, u16_at(data, head - 2).ok_or(cut)? as usize);
        if count == 0 {
            count = first.size;
        }
        if names == 0xffff {
            names = first.link;
        }
        if size != Some(entry as u32) || count > (data.len() - table) / entry || names >= count {
            return Err(bad);
        }
        c.sections = count;
        c.names = c.bytes(&c.section(names).ok_or(bad)?)?;
        for i in 0..count {
            let s = c.section(i).ok_or(bad)?;
            if s.kind == 2 {
                if c.symbols.len() > 0 || s.size % c.entry() != 0 {
                    return Err(Error::Damaged(s.offset));
                }
                c.symbols = c.bytes(&s)?;
                c.strings = c.bytes(&c.section(s.link).ok_or(Error::Damaged(s.offset))?)?;
            }
        }
        c.kernels = (0..c.symbols.len() / c.entry()).filter(|i| c.symbol(*i).map_or(false, |s| s.kernel)).count();
        Ok(c)
    }

    /// The kernels, in the order of their records.
    pub fn kernels(&self) -> Kernels<'a> {
        Kernels { cubin: *self, section: 0, found: 0 }
    }

    /// The kernel of that symbol, if there is one.
    pub fn kernel(&self, name: &str) -> Result<Option<Kernel<'a>>, Error> {
        for k in self.kernels() {
            let k = k?;
            if k.name == name {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// The bytes of a symbol.
    fn entry(&self) -> usize {
        if self.wide { 24 } else { 16 }
    }

    fn section(&self, i: usize) -> Option<Section> {
        let (entry, word) = if self.wide { (64, 8) } else { (40, 4) };
        if i >= self.sections {
            return None;
        }
        let at = self.table.checked_add(i.checked_mul(entry)?)?;
        let b = self.data.get(at..at.checked_add(entry)?)?;
        Some(Section {
            name: u32_at(b, 0)?,
            kind: u32_at(b, 4)?,
            exec: u32_at(b, 8)? & 4 != 0,
            offset: word_at(b, self.wide, 8 + 2 * word).unwrap_or(usize::MAX),
            size: word_at(b, self.wide, 8 + 3 * word).unwrap_or(usize::MAX),
            link: u32_at(b, 8 + 4 * word)? as usize,
            info: u32_at(b, 12 + 4 * word)?,
        })
    }

    /// The bytes of a section.
    fn bytes(&self, s: &Section) -> Result<&'a [u8], Error> {
        s.offset.checked_add(s.size).and_then(|end| self.data.get(s.offset..end)).ok_or(Error::Damaged(s.offset))
    }

    fn symbol(&self, i: usize) -> Option<Symbol> {
        let at = i.checked_mul(self.entry())?;
        let b = self.symbols.get(at..at.checked_add(self.entry())?)?;
        let rest = if self.wide { 4 } else { 12 };
        let section = u16_at(b, rest + 2)? as usize;
        let code = b[rest] & 15 == 2 && b[rest + 1] & 0x10 != 0 && section != 0;
        Some(Symbol { name: u32_at(b, 0)?, section, kernel: code && self.section(section).map_or(false, |s| s.exec) })
    }

    /// The kernel that a section has records of.
    fn described(&self, s: &Section) -> Option<&'a str> {
        if s.kind != 0x7000_0000 || s.info == 0 {
            return None;
        }
        let of = name_at(self.names, s.name)?.strip_prefix(b".nv.info.")?;
        let code = self.section(s.info as usize)?; // whose info is its symbol
        let symbol = self.symbol((code.info & 0xff_ffff) as usize)?;
        let name = name_at(self.strings, symbol.name)?;
        if !symbol.kernel || symbol.section != s.info as usize || name != of || name.is_empty() {
            return None;
        }
        core::str::from_utf8(name).ok()
    }

    /// The number of the bank of a section, `.nv.constant0.k`.
    fn bank(&self, symbol: u32) -> Option<u32> {
        let name = name_at(self.strings, self.symbol(symbol as usize)?.name)?.strip_prefix(b".nv.constant")?;
        let digits = name.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || digits > 3 || digits < name.len() && name[digits] != b'.' {
            return None;
        }
        Some(name[..digits].iter().fold(0, |n, c| 10 * n + u32::from(*c - b'0')))
    }
}

/// Iterates over the kernels of a cubin.
#[derive(Clone, Debug)]
pub struct Kernels<'a> {
    cubin: Cubin<'a>,
    section: usize,
    found: usize,
}

impl<'a> Iterator for Kernels<'a> {
    type Item = Result<Kernel<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let c = &self.cubin;
        while self.section + 1 < c.sections {
            self.section += 1;
            let s = c.section(self.section)?;
            if let Some(name) = c.described(&s) {
                self.found += 1;
                let kernel = c.bytes(&s).and_then(|records| Kernel::new(c, name, records, s.offset));
                if kernel.is_err() {
                    self.found = c.kernels;
                    self.section = c.sections;
                }
                return Some(kernel);
            }
        }
        if self.found == c.kernels {
            return None;
        }
        self.found = c.kernels;
        Some(Err(Error::Damaged(0))) // kernels without records
    }
}

/// A record of a kernel: its place, its attribute, and its bytes if it has some of its own.
type Record<'a> = (usize, u8, Option<&'a [u8]>);

/// Iterates over records, which begin at an offset of the file.
struct Records<'a>(&'a [u8], usize);

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (b, at) = (self.0, self.1);
        if b.is_empty() {
            return None;
        }
        self.0 = &[];
        let n = match (b[0], u16_at(b, 2)) {
            (4, Some(n)) => n as usize,
            (1..=3, Some(_)) => 0,
            _ => return Some(Err(Error::Damaged(at))),
        };
        if b.len() < 4 + n {
            return Some(Err(Error::Damaged(at)));
        }
        self.0 = &b[4 + n..];
        self.1 += 4 + n;
        Some(Ok((at, b[1], if b[0] == 4 { Some(&b[4..4 + n]) } else { None })))
    }
}

impl<'a> Kernel<'a> {
    fn new(c: &Cubin<'a>, name: &'a str, records: &'a [u8], at: usize) -> Result<Kernel<'a>, Error> {
        let mut k = Kernel { name, count: 0, block: None, records, at };
        for record in Records(records, at) {
            let (at, attribute, b) = record?;
            let bad = Error::Damaged(at);
            match (attribute, b) {
                (0x0a, Some(b)) if b.len() == 8 => {
                    let number = |at| u16_at(b, at).ok_or(bad);
                    let bank = c.bank(u32_at(b, 0).ok_or(bad)?).ok_or(bad)?;
                    k.block = Some(Block { bank, base: number(4)?, size: number(6)? });
                }
                (0x17, Some(b)) | (0x45, Some(b)) if b.len() == 12 => k.count += 1,
                (0x0a, _) | (0x17, _) | (0x45, _) => return Err(bad),
                _ => {}
            }
        }
        Ok(k)
    }

    /// Fills room with the parameters, in order.
    pub fn params<'b>(&self, room: &'b mut [Param]) -> Result<&'b [Param], Error> {
        let params = room.get_mut(..self.count).ok_or(Error::Room(self.count))?;
        params.iter_mut().for_each(|p| *p = Param::NONE);
        for record in Records(self.records, self.at) {
            let (at, attribute, b) = record?;
            let (bad, v2) = (Error::Damaged(at), attribute == 0x45);
            let b = match b {
                Some(b) if v2 || attribute == 0x17 => b,
                _ => continue,
            };
            let number = |at| u16_at(b, at).ok_or(bad);
            let p = params.get_mut(number(4)? as usize).ok_or(bad)?;
            let info = u32_at(b, 8).ok_or(bad)?;
            let log = if v2 { info >> 16 & 0xff } else { info & 0xff };
            if p.pointee_align != 0 || log > 30 {
                return Err(bad);
            }
            p.pointee_align = 1 << log;
            p.size = if v2 { info & 0xffff } else { info >> 18 };
            p.space = if v2 { b[11] } else { b[9] & 0xf };
            p.offset = match number(6)? {
                0xffff if p.size == 0 => None,
                offset => Some(offset),
            };
        }
        Ok(params)
    }
}
