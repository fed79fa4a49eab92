// Package lowertest is a test kit for backends of compilers that write SASS, or text like it. It
// generates PTX modules with calls, and compares the output of a backend with that of package
// lower and with the rules that the convention has for every function. For places of values
// alone, see package abi/abitest.
//
//	func TestListings(t *testing.T) {
//		for _, target := range abi.Targets() {
//			compiler := func(src []byte) (string, error) { return compile(src, target) }
//			if _, err := lowertest.CheckListings(target, 1, 100, compiler); err != nil {
//				t.Error(err)
//			}
//		}
//	}
//
// where compile is the backend, 1 is the seed, and 100 is the number of random functions.
//
// A module of the kit consists of callees and kernels that store every part of
// every parameter to an address of its own, and of callers that fill every
// argument from one and call an extern function. They have no branches and no arithmetic, so that
// every byte can be followed from its load to a call, a return or a store. Programs have both, see
// [Programs]. [Compare] takes any module.
//
// # What a backend has to read
//
// The modules of [CheckListings] have .version, .target and .address_size, declarations of extern
// functions, visible functions and kernels, .abi_preserve where the target has it, one
// declaration in .reg or .param space a line, and these instructions, without guards, labels or blocks:
//
//	ld.param.b8   ld.param.b16   ld.param.b32
//	st.param.b8   st.param.b16   st.param.b32
//	ld.volatile.global.b8   ld.volatile.global.b16   ld.volatile.global.b32   ld.volatile.global.b64
//	st.volatile.global.b8   st.volatile.global.b16   st.volatile.global.b32   st.volatile.global.b64
//	mov.b64   call.uni   ret
//
// The programs of [CheckListings], which come after the functions, have labels, branches, guards and blocks too, and these:
//
//	ld.param.s8   ld.param.u8   ld.param.s16   ld.param.u16   ld.param.s32   ld.param.u32   ld.param.u64   ld.param.b64   st.param.b64
//	ld.volatile.global.s8   ld.volatile.global.u8   ld.volatile.global.s16   ld.volatile.global.u16
//	mov.b32   add.s32   add.s64   add.u32   add.u64   sub.s32   sub.s64   xor.b32   xor.b64   and.b32   and.b64   mul.lo.u32   mul.lo.u64
//	cvt.s32.s8   cvt.s32.s16   cvt.u32.u8   cvt.u32.u16   cvt.s64.s8   cvt.s64.s16   cvt.s64.s32   cvt.u64.u8   cvt.u64.u16   cvt.u64.u32
//	div.u64   rem.u64   setp.gt.u32   setp.lt.u32   bra   call   alloca.u64
//
// A backend that does not compile them returns [abitest.ErrUnsupported].
//
// The .version is that of [abitest.DialectOf], whatever the target. A backend that gives
// modules to an earlier assembler puts that one's version into the line; only
// .abi_preserve and .b128 need a late one.
//
// # What a listing may contain
//
// A listing is the output of nvdisasm -c or cuobjdump -sass, with or without the offsets before
// instructions and the encodings after them, or of package sass. Registers are physical ones or
// the names that PTX gives them. It may have any instruction. Those of pseudo-SASS are followed,
// and so are PTX instructions that were kept as text; what others write is unknown.
//
// Each function begins with a line such as ".text.f:", or with the line of nvdisasm that has
// ".text.f" between dashes:
//
//	//--------------------- .text.f --------------------------
//	f:
//		MOV R4, R5 ;
//		RET.ABS.NODEC R20 0x0 ;
//
// # What is found
//
// At each call and each return the passed bytes come from the places that the source says. At
// each return the callee-saved registers, the stack pointer and the return address are as at
// entry. At each call the stack pointer is aligned, there is room for the arguments, the memory
// for a result belongs to the caller, and the return address is that of the instruction after the
// call. Nothing is stored into the caller's frame. The calls on each path are those on one of the source, in their
// order, and there is a path with the calls of each path of the source that some arguments surely take. A register or
// a word on the stack that nothing has written is wrong whatever the source computes.
//
// In machine code, registers that an instruction names are among those of the target, pairs begin at even ones, and
// accesses to the frame and to the memory for the result are aligned, as far as those of the source are. No address
// comes from a register that nothing has written. The target of a call through a register is that of the source, and conversions of integers have
// zeros or copies of the sign above them.
//
// All of this is checked on every path. Where paths join, values that differ become unknown.
//
// # What is not compared
//
// Computations are followed if the listing keeps PTX instructions as text, as package lower does.
// In machine code moves, sums of a value and a number, conversions of integers, and loads from an
// address that is a number beyond a parameter are, if nothing may have stored there; what another
// computation makes is not compared with that of the source: the places that depend on it
// are counted and named in [Report].NotCompared. So are the places that an unknown instruction may
// have written, that the assembler keeps in R32 and above over a call of malloc, free, vprintf or
// __assertfail, calls through registers on sm_90 in a listing without the table of function
// addresses, as ptxas 11.8 writes them, and the result of a function that stores to it at an offset
// that the store's size does not divide. Of calls in an order of their own, those through registers
// whose function is not known have to be like one of the source's. Functions of which the listing leaves out instructions, by
// its offsets, are not followed.
//
// Not compared at all are predicates, the conditions of branches, how often a loop is executed, the size of an alloca,
// whether the target has an instruction, barriers except those at the start of functions on sm_87, constants other than
// parameters and the stack pointer.
//
// Values that leave through memory are compared where a store, volatile or not, goes to an address that is a number, or a
// number beyond a parameter. Each other store to memory that is not the function's own, each atom and each red is in
// NotCompared. In a function with one of these, or with several paths, so is a store that differs, unless it is volatile,
// to a number and, where the listing lacks it, on a path that some arguments surely take.
//
// # Register allocation
//
// [CheckAllocation] compares a listing with the PTX itself, for any module: each register that an
// instruction reads, predicates too, has to be in its place on every path. It needs only the
// listing:
//
//	func TestAllocation(t *testing.T) {
//		for _, file := range modules {
//			src, err := os.ReadFile(file)
//			if err != nil {
//				t.Fatal(err)
//			}
//			listing, err := compile(src, target)
//			if err != nil {
//				t.Fatal(err)
//			}
//			r, err := lowertest.CheckAllocation(src, listing, target)
//			if err != nil {
//				t.Fatal(err) // the module or the listing cannot be read
//			}
//			if err := r.Err(); err != nil {
//				t.Error(file, err)
//			}
//		}
//	}
//
// Package ptx/dataflow has what an allocator needs of PTX; an allocator by linear scan
// is an example of this package.
package lowertest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/internal/lab/probe"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest/internal/follow"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Compiler compiles a PTX module for separate linking, as ptxas -c does, and returns its
// listing in the spelling of nvdisasm -c. An error is a difference, except
// [abitest.ErrUnsupported] for a module with one function.
type Compiler func(src []byte) (listing string, err error)

// A Report is the result of Compare.
type Report struct {
	Coverage
	// Differences are in the order of the module's functions and of their lines.
	Differences []Difference
	// NotFollowed has each function that was not compared, with the reason, as in "f: not
	// in the listing".
	NotFollowed []string
	// NotCompared are the places of compared functions whose value comes from an
	// instruction that is not followed. Got names it.
	NotCompared []Difference
}

// String returns the coverage, and below it each difference and each function that was not followed.
func (r *Report) String() string {
	r = zero.Or(r)
	var b strings.Builder
	b.WriteString(r.Coverage.String())
	for i := range r.Differences {
		fmt.Fprintf(&b, "\n\t%s", r.Differences[i])
	}
	for _, why := range r.NotFollowed {
		fmt.Fprintf(&b, "\n\tnot followed: %s", why)
	}
	return b.String()
}

// A Coverage is the numbers of compared functions, calls, returns, words and bytes.
type Coverage struct {
	// Functions is the number of functions and kernels that were followed.
	Functions int
	// Calls and Returns are the numbers of those that were compared.
	Calls, Returns int
	// Words is the number of words that calls and returns pass. Bytes is the number of
	// bytes, of these and of those written to memory, that came from the right place.
	Words, Bytes int
	// Registers is how often a register held what the convention demands of every
	// function: callee-saved registers, the stack pointer and the return address, at
	// calls and returns.
	Registers int
}

// String returns a line such as "4 functions, 2 calls, 4 returns, 21 words, 130 bytes, 480
// registers".
func (c Coverage) String() string {
	return strings.Join([]string{
		prose.Count(c.Functions, "function"), prose.Count(c.Calls, "call"), prose.Count(c.Returns, "return"),
		prose.Count(c.Words, "word"), prose.Count(c.Bytes, "byte"), prose.Count(c.Registers, "register"),
	}, ", ")
}

func (c *Coverage) add(d Coverage) {
	c.Functions += d.Functions
	c.Calls += d.Calls
	c.Returns += d.Returns
	c.Words += d.Words
	c.Bytes += d.Bytes
	c.Registers += d.Registers
}

// A Difference is one place where a listing differs from the convention.
type Difference struct {
	Func string
	Line int // of the listing, from 1 on; 0 where there is none
	// What is the place: a word at a call or a return, such as "call 1 of g, R5", or memory,
	// such as "the store, global memory at 0x100000010".
	What string
	// Want is what the place should do, as in "hold bytes 4 to 8 of argument y"; Got says
	// what it does: "it holds what line 12 loads from c[0x0][0x168]".
	Got, Want string
	// Last is where the place, or another one, held the wanted value last: "R16 held it
	// from the entry until line 7, `MOV R16, R4`". It is "" if none did.
	Last string
	// Rule is the rule that is broken: a step of docs/abi.md, as "F5", or one of its
	// headings, as "Registers across a call". It is "" for a difference from the source
	// itself.
	Rule string
}

// String returns all of it in a line such as
//
//	f, line 14, call 1 of g: R5 should hold the number 0x1; it holds what R5 held at entry; nothing puts it into R5; it is in R7 since line 9 (docs/abi.md, F5)
func (d Difference) String() string {
	var b strings.Builder
	b.WriteString(d.Func)
	if d.Line > 0 {
		fmt.Fprintf(&b, ", line %d", d.Line)
	}
	at, place, _ := strings.Cut(d.What, ", ")
	fmt.Fprintf(&b, ", %s: %s should %s; %s", at, place, d.Want, d.Got)
	if d.Last != "" {
		b.WriteString("; " + d.Last)
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, " (docs/abi.md, %s)", d.Rule)
	}
	return b.String()
}

// Compare compares the listing that a backend wrote for a module with the result of
// lower.Module, and checks the rules that the convention has for every function. It is an
// error if one of the two cannot be read, or if the module has errors. Places that could
// not be compared are not errors: the report lists them.
func Compare(src []byte, listing string, t *abi.Target) (*Report, error) {
	return Options{}.Compare(src, listing, t)
}

// Options describe a backend for a comparison. The zero Options are those of NVIDIA's assembler.
type Options struct {
	// Helpers are functions that the backend adds, such as divisions, and that no source calls. Calls of
	// them are not compared, nor what registers hold that they write. Those of NVIDIA's assembler,
	// such as __cuda_sm20_div_u64, are known.
	Helpers []string
}

// Compare is the function [Compare] for a backend of these options.
func (o Options) Compare(src []byte, listing string, t *abi.Target) (*Report, error) {
	if t == nil || *t == (abi.Target{}) {
		return nil, errors.New("no target")
	}
	m, err := ptx.Parse("module.ptx", src)
	if err != nil {
		return nil, err
	}
	prog, err := lower.Module(m, t, lower.Options{})
	if err != nil {
		return nil, err
	}
	got, err := follow.Compare(listing, prog, m, t, o.Helpers)
	if err != nil {
		return nil, err
	}
	r := &Report{NotFollowed: got.NotFollowed, Coverage: Coverage{
		Functions: got.Functions, Calls: got.Calls, Returns: got.Returns,
		Words: got.Words, Bytes: got.Bytes + got.Stored, Registers: got.Registers,
	}}
	for _, d := range got.Differences {
		r.Differences = append(r.Differences, Difference(d))
	}
	for _, d := range got.Unfollowed {
		r.NotCompared = append(r.NotCompared, Difference(d))
	}
	return r, nil
}

// Module returns a module with the given functions, see the package's
// documentation. It is nil without a target. Function i becomes callee_i with caller_i, which calls extern_i,
// or kernel_i.
func Module(t *abi.Target, functions []*abitest.Function) []byte {
	if t == nil {
		return nil
	}
	probes := make([]*probe.Probe, len(functions))
	for i, f := range functions {
		probes[i] = probe.New(zero.Or(f), i)
	}
	return []byte(probe.Module(probes, t.Name, abitest.DialectOf(t, ptx.Version{}).PTX, false))
}
