package check

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/ptx"
)

// The releases between which the assembler reads parts of a word of a kernel's parameters wrongly, as measured: the first
// and the last of them.
var firstMisreading, lastMisreading = ptx.Version{Major: 11, Minor: 8}, ptx.Version{Major: 12, Minor: 4}

// release returns the release of the assembler that will read a module, zero if it is not known. NVIDIA's compilers write
// theirs into a comment before the module, and the assembler is commonly of the same release.
func release(m *ptx.Module, opts Options) ptx.Version {
	if opts.Release != (ptx.Version{}) {
		return opts.Release
	}
	for line := range strings.Lines(m.Source()) {
		line = strings.TrimSpace(line)
		if of, ok := strings.CutPrefix(line, "// Cuda compilation tools, release "); ok {
			of, _, _ = strings.Cut(of, ",")
			major, minor, _ := strings.Cut(of, ".")
			var v ptx.Version
			v.Major, _ = strconv.Atoi(major)
			v.Minor, _ = strconv.Atoi(minor)
			return v
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
	}
	return ptx.Version{}
}

// A loaded part is 1 or 2 bytes of a kernel's parameters that do not begin at a word.
type loadedPart struct {
	by   *ptx.Access
	name string // of the parameter
	size int
}

// misreadParts reports stores to arguments of parts of words that the assembler misreads. If nothing extends a part, since
// its register has the size of the part, or has 32 bits of which the store takes no more than were loaded, the assembler
// copies a whole register: it reads the word from its start, or through a uniform register four bytes from an offset that
// is not aligned. Copies of the part, its other uses, and branches and calls in between make no difference.
//
// The rule follows only registers with one definition. A word that several stores make is right in some cases, and is not
// reported.
func (b *bodyCheck) misreadParts() {
	if !b.c.misreads || !b.Func.Entry {
		return
	}
	parts, copies, written := make(map[int32]loadedPart), make(map[int32]int32), make(map[int32]int)
	for i, s := range b.Func.Body {
		for _, m := range b.in.Mentions(i) {
			if m.Written {
				written[m.Ref.Name]++
			}
		}
		refs := b.in.Operands(i)
		switch s := s.(type) {
		case *ptx.Access:
			for k := 0; k < len(s.Regs) && !s.Store; k++ {
				if part, ok := b.partOf(s, k, refs); ok {
					parts[refs[1+k].Name] = part
				}
			}
		case *ptx.Instr:
			if ops := s.Ops(); strings.HasPrefix(s.Op, "mov.") && s.Guard == nil && len(ops) == 2 && ops[0].Kind == ptx.KindName && ops[1].Kind == ptx.KindName {
				copies[refs[0].Name] = refs[1].Name
			}
		}
	}
	stores := make(map[[2]int64]int) // by argument and offset of a word: how many stores write to the word
	word := func(i int) (a *ptx.Access, at [2]int64, ok bool) {
		a, ok = b.Func.Body[i].(*ptx.Access)
		if !ok || !a.Store || len(b.in.Operands(i)) == 0 {
			return nil, at, false
		}
		sym := b.in.Sym(b.in.Operands(i)[0])
		if sym == nil || sym.Var == nil || sym.Role != body.Local {
			return nil, at, false
		}
		return a, [2]int64{int64(sym.ID), offsetOf(a, sym) &^ 3}, true
	}
	for i := range b.Func.Body {
		if _, at, ok := word(i); ok {
			stores[at]++
		}
	}
	for i := range b.Func.Body {
		if a, at, ok := word(i); ok && a.Bytes() <= 2 && a.Vec == 0 && len(a.Regs) == 1 && stores[at] == 1 {
			reg := b.in.Operands(i)[1].Name
			var way []int32
			for from, ok := copies[reg]; ok && written[reg] == 1; from, ok = copies[reg] {
				delete(copies, reg) // no search comes here again
				way, reg = append(way, reg), from
			}
			part, ok := parts[reg]
			if !ok || written[reg] != 1 {
				continue
			}
			for _, reg := range way {
				parts[reg] = part
			}
			if a.Bytes() <= part.size {
				b.c.add(diag.Warning, MisreadPart, a.Pos, sprintf("at -O1 and above, releases 11.8 and 12.4 of the assembler pass other bytes of the kernel's parameters than %s loads from %s: move them to a multiple of 4, pass 32 bits, or assemble with 12.8 or later", part.by.Op, part.name),
					related(part.by.Pos, "loaded here"))
			}
		}
	}
}

// partOf returns the part of a word that a load puts in its register k, if the assembler misreads such a part.
func (b *bodyCheck) partOf(a *ptx.Access, k int, refs []body.Ref) (loadedPart, bool) {
	sym, reg := b.in.Sym(refs[0]), b.in.Sym(refs[1+k])
	size := a.Type.Size()
	if sym == nil || sym.Var == nil || sym.Role != body.Param || reg == nil || reg.Var == nil || a.Guard != nil || size > 2 {
		return loadedPart{}, false
	}
	start, ok := blockEnd(b.Func.Params[:sym.Index])
	if at := int64(round.Up(start, sym.Spec.Alignment())) + offsetOf(a, sym) + int64(k*size); !ok || at&3 == 0 {
		return loadedPart{}, false
	}
	signed := a.Type == ptx.S8 || a.Type == ptx.S16
	whole := reg.Spec.Type.Size()
	return loadedPart{a, a.Addr.Base, size}, whole == 2 && size == 2 || whole == 4 && !signed
}
