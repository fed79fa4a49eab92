package producers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// rustHead is a crate without the standard library, which rustc does not come with for this
// architecture, and all that the compiler has to know of then.
const rustHead = `#![feature(no_core, lang_items, abi_ptx, f16, f128, auto_traits, repr_simd, simd_ffi)]
#![no_core]
#![crate_type = "lib"]
#![allow(internal_features, improper_ctypes_definitions, improper_ctypes, warnings)]
#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
#[lang = "freeze"] unsafe auto trait Freeze {}
impl<T> Copy for *mut T {}
impl<T: Copy, const N: usize> Copy for [T; N] {}
impl Copy for bool {}
impl Copy for i8 {} impl Copy for i16 {} impl Copy for i32 {} impl Copy for i64 {} impl Copy for i128 {}
impl Copy for u8 {} impl Copy for u16 {} impl Copy for u32 {} impl Copy for u64 {} impl Copy for u128 {}
impl Copy for f16 {} impl Copy for f32 {} impl Copy for f64 {} impl Copy for f128 {}
`

// rustTypes are those that C's are in Rust, as core::ffi has them for this architecture.
var rustTypes = map[string]string{
	"char": "i8", "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned": "u32",
	"long": "i64", "long long": "i64", "float": "f32", "double": "f64", "int *": "*mut i32", "BOOL": "bool",
	"_Float16": "f16", "__int128": "i128", "unsigned __int128": "u128",
}

var vectorPattern = regexp.MustCompile(`^typedef (\w+) \w+ __attribute__\(\(vector_size\((\d+)\)\)\);$`)

// rustCase is the type of a case in Rust, and what declares it; ok is false where Rust has none.
func rustCase(c Case) (decl, typ string, ok bool) {
	if c.CXX {
		return "", "", false
	}
	if c.Decl == "" {
		typ, ok = rustTypes[c.Type]
		return "", typ, ok
	}
	if strings.HasPrefix(c.Decl, "enum ") {
		return "#[repr(C)] pub enum " + c.Name + " { A, B }\nimpl Copy for " + c.Name + " {}\n", c.Name, true
	}
	if m := vectorPattern.FindStringSubmatch(c.Decl); m != nil {
		elem := rustTypes[m[1]]
		size := map[string]int{"i8": 1, "i16": 2, "i32": 4, "f32": 4, "f64": 8}[elem]
		var bytes int
		fmt.Sscan(m[2], &bytes)
		return fmt.Sprintf("#[repr(simd)] pub struct %s([%s; %d]);\nimpl Copy for %s {}\n", c.Name, elem, bytes/size, c.Name), c.Name, true
	}
	m, list, ok := fields(c)
	if !ok {
		return "", "", false
	}
	repr := "C"
	switch m.attribute {
	case "aligned":
		repr += ", align(" + m.align + ")"
	case "packed":
		repr += ", packed"
	}
	var fields []string
	for _, f := range list {
		elem, known := rustTypes[f.typ]
		if name, record := strings.CutPrefix(f.typ, "struct "); record {
			elem, known = name, true
		}
		if !known {
			return "", "", false
		}
		if f.count > 0 {
			elem = fmt.Sprintf("[%s; %d]", elem, f.count)
		}
		fields = append(fields, "pub "+f.name+": "+elem)
	}
	return fmt.Sprintf("#[repr(%s)] pub %s %s { %s }\nimpl Copy for %s {}\n", repr, m.kind, c.Name, strings.Join(fields, ", "), c.Name), c.Name, true
}

// rustSource is what source is in C: functions with C's convention, those that only the crate
// sees with Rust's own, and kernels.
func rustSource(cases []Case) string {
	var b strings.Builder
	b.WriteString(rustHead)
	asked := func(c Case) bool { return slices.ContainsFunc(cases, func(d Case) bool { return d.Name == c.Name }) }
	for _, c := range Cases() { // what others are made of
		if decl, _, ok := rustCase(c); ok && (asked(c) || needed(c.Name, cases)) {
			b.WriteString(decl)
		}
	}
	for _, c := range cases {
		_, typ, _ := rustCase(c)
		r := strings.NewReplacer("$T", typ, "$", c.Name)
		if c.Name == "variadic" {
			r.WriteString(&b, `unsafe extern "C" { fn ae_$_Z(p: *mut i32, ...); }
#[no_mangle] pub unsafe extern "C" fn ac_$_Z(p: *mut i32, x: f64) { ae_$_Z(p, *p, x, p) }
`)
			continue
		}
		r.WriteString(&b, `unsafe extern "C" { fn ae_$_Z(p: *mut $T, x: $T); fn re_$_Z(p: *mut $T) -> $T; }
#[no_mangle] pub unsafe extern "C" fn ad_$_Z(p: *mut $T, x: $T) { *p = x }
#[no_mangle] pub unsafe extern "C" fn ac_$_Z(p: *mut $T) { ae_$_Z(p, *p) }
#[inline(never)] unsafe fn ai_$_Z(p: *mut $T, x: $T) { *p = x }
#[no_mangle] pub unsafe extern "C" fn aj_$_Z(p: *mut $T, q: *mut $T) { ai_$_Z(p, *q) }
#[no_mangle] pub unsafe extern "C" fn rd_$_Z(p: *mut $T) -> $T { *p }
#[no_mangle] pub unsafe extern "C" fn rc_$_Z(p: *mut $T) { *p = re_$_Z(p) }
#[inline(never)] unsafe fn ri_$_Z(p: *mut $T) -> $T { *p }
#[no_mangle] pub unsafe extern "C" fn rj_$_Z(p: *mut $T, q: *mut $T) { *p = ri_$_Z(q) }
#[no_mangle] pub unsafe extern "ptx-kernel" fn k_$_Z(p: *mut $T, x: $T) { *p = x }
`)
	}
	return b.String()
}
