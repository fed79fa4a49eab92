package adapt

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/ptx"
)

// A loaded is a move whose bytes are in registers.
type loaded struct {
	m     *Move
	parts []chunk
	long  bool // nothing is loaded yet
}

// A chunk is bytes of a move that one access copies.
type chunk struct {
	off, size int64 // from the start of the move
	reg       string
}

// chunks cuts a move into accesses that are aligned on both sides.
func (w *writer) chunks(m *Move) []chunk {
	if !m.IsConst && m.From.Size != m.To.Size {
		return []chunk{{0, m.To.Size, ""}}
	}
	var out []chunk
	for k := int64(0); k < m.To.Size; {
		size := int64(8)
		for k+size > m.To.Size || (m.To.Off+k)%size != 0 || size > w.s.align(m.To) ||
			!m.IsConst && ((m.From.Off+k)%size != 0 || size > w.s.align(m.From)) {
			size /= 2
		}
		out = append(out, chunk{k, size, ""})
		k += size
	}
	return out
}

// align returns what the base of a place is a multiple of.
func (s *Shim) align(p Place) int64 {
	switch {
	case p.Deref && p.Side == Callee:
		return s.Memory[p.Formal].Align
	case p.Deref:
		return max(p.Align, 1)
	}
	return alignOf(s.formal(p))
}

// at returns the space and the address of bytes of a place.
func (w *writer) at(p Place, off int64) (space, addr string) {
	base := ""
	switch {
	case p.Deref && p.Side == Callee:
		space, base = ".local", w.memory[p.Formal]
	case p.Deref:
		space, base = "", w.pointer(p.Formal)
	case p.Side == Caller && p.Formal == ResultFormal:
		space, base = ".param", w.own[len(w.own)-1]
	case p.Side == Caller:
		space, base = ".param", w.own[p.Formal]
	case p.Formal == ResultFormal:
		space, base = ".param", w.ret
	default:
		space, base = ".param", w.args[p.Formal]
	}
	if off == 0 {
		return space, "[" + base + "]"
	}
	return space, fmt.Sprintf("[%s+%d]", base, off)
}

// pointer returns the register with an address that the caller passes.
func (w *writer) pointer(formal int) string {
	if w.pointers[formal] == "" {
		w.pointers[formal] = w.reg(8)
		w.stmt("ld.param.b64 %s, [%s];", w.pointers[formal], w.own[formal])
	}
	return w.pointers[formal]
}

// unsigned is the type of an access, which fills its register with zeros.
func unsigned(size int64) string { return fmt.Sprintf(".b%d", size*8) }

// maxLive is how many accesses of a move are loaded before any is stored: the assembler
// takes long where thousands of registers are live.
const maxLive = 32

// load writes the loads of moves, but of long ones, which store copies piece by piece.
func (w *writer) load(moves []*Move) []loaded {
	var out []loaded
	for _, m := range moves {
		l := loaded{m: m, parts: w.chunks(m)}
		l.long = len(l.parts) > maxLive && (!m.out() || m.From.Deref) // results are loaded right after the call
		for i := 0; !l.long && i < len(l.parts); i++ {
			w.loadPart(m, &l.parts[i])
		}
		out = append(out, l)
	}
	return out
}

// loadPart writes one load of a move, the first with a comment.
func (w *writer) loadPart(m *Move, p *chunk) {
	note := ""
	if p.off == 0 {
		note = " // " + w.s.comment(m)
	}
	typ := unsigned(p.size)
	size := p.size
	if m.IsConst {
		p.reg = w.reg(size)
		w.stmt("mov.b%d %s, %d;%s", max(size, 4)*8, p.reg, m.Const>>(8*p.off)&(1<<(8*size-1)<<1-1), note)
		return
	}
	if m.From.Size != m.To.Size {
		size = m.From.Size
		typ = fmt.Sprintf("%s%d", map[bool]string{true: ".s", false: ".u"}[m.Signed], m.From.Size*8)
	}
	if size < 4 && typ[1] == 'b' {
		typ = ".u" + typ[2:]
	}
	space, addr := w.at(m.From, m.From.Off+p.off)
	p.reg = w.reg(p.size)
	w.stmt("ld%s%s %s, %s;%s", space, typ, p.reg, addr, note)
}

// store writes the stores of a move.
func (w *writer) store(l loaded) {
	for _, p := range l.parts {
		if l.long {
			w.loadPart(l.m, &p)
		}
		space, addr := w.at(l.m.To, l.m.To.Off+p.off)
		w.stmt("st%s%s %s, %s;", space, unsigned(p.size), addr, p.reg)
	}
}

// pad writes zeros into the bytes of a formal that no move reaches.
func (w *writer) pad(f *ptx.Formal, moves []*Move, place Place) {
	size, align := sizeOf(f), alignOf(f)
	has := make([]bool, size)
	for _, m := range moves {
		if !m.To.Deref && m.To.Formal == place.Formal {
			for k := m.To.Off; k < m.To.Off+m.To.Size; k++ {
				has[k] = true
			}
		}
	}
	first := true
	for k := int64(0); k < size; {
		if has[k] {
			k++
			continue
		}
		n := int64(1)
		for 2*n <= min(align, 8) && k%(2*n) == 0 && k+2*n <= size && !slices.Contains(has[k:k+2*n], true) {
			n *= 2
		}
		note := ""
		if first {
			note = " // bytes that mean nothing"
			first = false
		}
		reg := w.reg(n)
		w.stmt("mov.b%d %s, 0;%s", max(n, 4)*8, reg, note)
		_, addr := w.at(place, k)
		w.stmt("st.param%s %s, %s;", unsigned(n), addr, reg)
		k += n
	}
}

// comment says what a move does.
func (s *Shim) comment(m *Move) string {
	how := "to"
	if m.From.Size != m.To.Size {
		how = map[bool]string{true: "with its sign to", false: "with zeros to"}[m.Signed]
	}
	text := fmt.Sprintf("%s %s %s", s.place(m.From), how, s.place(m.To))
	if m.IsConst {
		text = fmt.Sprintf("%d into %s", m.Const, s.place(m.To))
	}
	if m.What != "" {
		text = m.What + ": " + text
	}
	return text
}

// numba's results say by their status how they came about: 0 for a value and -2 for none
// are no errors.
const numbaNone = 0xfffffffe
