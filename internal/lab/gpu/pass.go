package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
)

// A passing is one signature, called by code that declares it and taken by code that
// does not, or the other way round:
//
//	            declares the signature      the raw view
//	            kernel, calls    ────────→  function of 12 words, then words of stack
//	fromRaw     function         ←────────  kernel, calls
//
// The two are modules of their own, which are assembled apart and linked. The
// raw side's formals are single words: the first twelve are all parameter
// registers, in order, and those after them the words of the stack area. It is
// called, and calls, through a pointer in global memory, since the linker refuses
// to join two declarations of one name that differ.
type passing struct {
	sig     *abitest.Function
	places  abi.Assignment
	fromRaw bool

	values [][]byte // of the parameters
	result []byte   // nil for none
	noise  []byte   // of raw words in which there is no value
}

// newPassing draws values for the index-th function of a seed; nil where there is
// none to be called: a kernel, or one without a place.
func newPassing(seed uint64, index int, t *abi.Target, ptx ptx.Version, fromRaw bool) *passing {
	d := abitest.DialectOf(t, ptx)
	d.MaxFunction = 200
	f := abitest.Random(seed, index, d)
	if f.Kernel {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, uint64(index)+1<<32))
	if index%4 == 0 { // most results that are drawn are small
		large := abitest.Formal{Type: "b8", Len: t.Passing.MaxResult + 1 + r.IntN(100), Align: 1 << r.IntN(6)}
		f.Result = &large
	}
	sig := &abitest.Function{}
	for _, p := range f.Params {
		if !p.Unsized() {
			sig.Params = append(sig.Params, plain(p))
		}
	}
	if f.Result != nil {
		r := plain(*f.Result)
		sig.Result = &r
		if t.Passing.CrashOnLoneSret && len(sig.Params) == 0 {
			return nil
		}
	}
	places, err := abi.Assign(sig.ABI(), t)
	if err != nil {
		return nil
	}
	p := &passing{sig: sig, places: places, fromRaw: fromRaw}
	for _, f := range sig.Params {
		p.values = append(p.values, random(r, f.Value().Size))
	}
	if sig.Result != nil {
		p.result = random(r, sig.Result.Value().Size)
	}
	p.noise = random(r, p.rawBytes())
	return p
}

// plain is a formal of the same size and alignment whose bytes can be stored one
// by one.
func plain(f abitest.Formal) abitest.Formal {
	v := f.Value()
	return abitest.Formal{Type: "b8", Len: v.Size, Align: v.Align}
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

const rawRegs = 12 // all parameter registers

// rawBytes is the size of what the raw side sees: registers, then stack.
func (p *passing) rawBytes() int { return rawRegs*4 + p.places.StackBytes }

// rawAt returns where byte k of a value is in what the raw side sees; false
// where it is not in registers or the stack area.
func (p *passing) rawAt(pl abi.Placement, k int, t *abi.Target) (int, bool) {
	switch pl.Loc.Kind {
	case abi.InReg:
		return int(pl.Loc.Reg-t.Passing.First)*4 + k, true
	case abi.OnStack:
		return rawRegs*4 + pl.Loc.Off + k, true
	}
	return 0, false
}

// raw returns the words that the raw side passes, or that it is expected to see
// but for bytes that are undefined, which known does not have.
func (p *passing) raw(t *abi.Target) (words []byte, known []bool) {
	words, known = bytes.Clone(p.noise), make([]bool, len(p.noise))
	for i, v := range p.values {
		for k, b := range v {
			if at, ok := p.rawAt(p.places.Params[i], k, t); ok {
				words[at], known[at] = b, true
			}
		}
	}
	return words, known
}

// indirect reports whether the result is in memory.
func (p *passing) indirect() bool { return p.places.Sret.Kind != abi.Nowhere }

// in is the input of the kernel: the words or values that the caller passes, then the result.
func (p *passing) in(t *abi.Target) []byte {
	var b []byte
	if p.fromRaw {
		b, _ = p.raw(t)
	} else {
		b = p.given()
	}
	return append(pad(b), pad(bytes.Clone(p.result))...)
}

// given are the parameters' bytes, one value after the other.
func (p *passing) given() []byte { return bytes.Join(p.values, nil) }

// pad is b with zeros up to a word.
func pad(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

func padded(n int) int { return n + -n&3 }

// taken is how many bytes the callee sees, and passed how many the caller passes.
func (p *passing) taken() int  { return p.bytes(!p.fromRaw) }
func (p *passing) passed() int { return p.bytes(p.fromRaw) }

// bytes is how many there are on a side.
func (p *passing) bytes(raw bool) int {
	if raw {
		return p.rawBytes()
	}
	return len(p.given())
}

// outBytes is the size of the output of the kernel: the words or values that the callee
// found, then the result that the caller got back.
func (p *passing) outBytes() int { return padded(p.taken()) + padded(len(p.result)) + 4 }

// wrong compares the output of a kernel with the expected one. It returns how many
// bytes were compared, and a line for each value that differs.
func (p *passing) wrong(out []byte, t *abi.Target) (n int, lines []string) {
	for i, v := range p.values {
		got := make([]byte, len(v))
		for k := range v {
			at, ok := k, true
			if p.fromRaw {
				at += len(bytes.Join(p.values[:i], nil))
			} else if at, ok = p.rawAt(p.places.Params[i], k, t); !ok {
				continue
			}
			got[k] = out[at]
		}
		n += len(v)
		if !bytes.Equal(got, v) {
			lines = append(lines, fmt.Sprintf("parameter %d, %s: passed %x, arrived %x", i, p.places.Params[i].Loc, v, got))
		}
	}
	n += len(p.result)
	if at := padded(p.taken()); !bytes.Equal(out[at:at+len(p.result)], p.result) {
		lines = append(lines, fmt.Sprintf("result, %s: returned %x, arrived %x", p.places.Results[0].Loc, p.result, out[at:at+len(p.result)]))
	}
	return n, lines
}

// A side is the declaration of one side: formals, arguments and result.
type side struct {
	params []string // declarations
	result string   // declaration; "" for none
}

// typed is the side that declares the signature.
func (p *passing) typed(name func(i int) string) side {
	var s side
	for i, f := range p.sig.Params {
		s.params = append(s.params, f.Decl(name(i)))
	}
	if p.sig.Result != nil {
		s.result = p.sig.Result.Decl(name(-1))
	}
	return s
}

// rawSide is the other one.
func (p *passing) rawSide(name func(i int) string) side {
	var s side
	align := 4 // of the stack area, which a callee may rely on
	for _, pl := range p.places.Params {
		if pl.Loc.Kind == abi.OnStack {
			align = max(align, pl.Align)
		}
	}
	for i := range p.rawBytes() / 4 {
		a := 4
		if i == rawRegs {
			a = align
		}
		s.params = append(s.params, fmt.Sprintf(".param .align %d .b32 %s", a, name(i)))
	}
	if p.result != nil && !p.indirect() {
		s.result = fmt.Sprintf(".param .align 4 .b8 %s[%d]", name(-1), rawRegs*4)
	}
	return s
}

// names are those of formals and arguments; unnamed those in a prototype.
func names(i int) string {
	if i < 0 {
		return abitest.ResultName
	}
	return abitest.ParamName(i)
}

func unnamed(int) string { return "_" }

func (s side) head(name string) string {
	result := ""
	if s.result != "" {
		result = "(" + s.result + ") "
	}
	return result + name + " (" + strings.Join(s.params, ", ") + ")"
}
