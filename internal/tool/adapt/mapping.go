package adapt

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// FromMapping returns the shim between two declarations that a mapping describes:
//
//	Mapping = { Line } .                             // also several on a line, with ";" between
//	Line    = ( Place [ ":" Width ] | integer ) "->" ( Place | "nothing" ) .
//	Place   = [ "*" ] ( "caller" | "callee" ) "." Formal [ "[" from ":" to "]" ] [ "@" align ] .
//	Formal  = name | index | "result" .
//	Width   = "s8" | "s16" | "s32" | "u8" | "u16" | "u32" .
//
// A place is a formal or, after "*", the memory at the address in it, of bytes from up to
// to. Memory at an address in a parameter of the callee is the shim's own. A width is that
// of the value in the lowest bytes, which fills the other side with its sign or with zeros.
// "@" says what an address is a multiple of; without it, memory is read byte by byte. "#"
// begins a comment. The file is the name of the mapping for diagnostics.
func FromMapping(caller, callee *ptx.Func, name, file, text string) (*Shim, diag.List) {
	s := declared(caller, callee, name)
	s.Head = append(s.Head, "The mapping was given.")
	e := errs{file: file}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		col := 0
		for _, one := range strings.Split(line, ";") {
			at := col + len(one) - len(strings.TrimLeft(one, " \t\r")) + 1
			col += len(one) + 1
			if one = strings.TrimSpace(one); one != "" {
				pos := diag.Pos{Line: uint32(n + 1), Col: uint32(at)}
				moves := len(s.Moves)
				if err := s.line(one); err != nil {
					e.add(pos, "%q: %v", one, err)
				}
				for i := range s.Moves[moves:] {
					s.Moves[moves+i].file, s.Moves[moves+i].pos = file, pos
				}
			}
		}
	}
	if len(e.list) > 0 {
		return nil, e.list
	}
	if list := s.check(); len(list) > 0 {
		for _, d := range list {
			if !d.Pos.IsValid() {
				d.File = file
			}
		}
		return nil, list
	}
	return s, nil
}

// declared is a shim between two declarations without moves.
func declared(caller, callee *ptx.Func, name string) *Shim {
	return &Shim{
		Name: name, Caller: caller, Callee: callee, Memory: map[int]Memory{}, Dropped: map[Place]bool{},
		Head: []string{fmt.Sprintf("Written by ptxabi adapt: %s is what its callers declare, and calls %s.", name, callee.Name)},
	}
}

// line adds a line of a mapping.
func (s *Shim) line(text string) error {
	left, right, ok := strings.Cut(text, "->")
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	if !ok {
		return fmt.Errorf("no \"->\" in it; a line is such as \"caller.x -> callee.v[0:4]\"")
	}
	m := Move{}
	width, wide := "", false
	if i := strings.LastIndexByte(left, ':'); i > strings.LastIndexByte(left, ']') {
		left, width, wide = strings.TrimSpace(left[:i]), strings.TrimSpace(left[i+1:]), true
	}
	if v, _, err := parseBits(left); err == nil {
		m.IsConst, m.Const = true, v
	} else if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s does not fit into 8 bytes", left)
	} else if m.From, err = s.parsePlace(left); err != nil {
		return err
	}
	if right == "nothing" {
		if m.IsConst || wide || m.From.Deref {
			return fmt.Errorf("a formal can go to nothing, such as caller.x or callee.result")
		}
		s.Dropped[Place{Side: m.From.Side, Formal: m.From.Formal}] = true
		return nil
	}
	var err error
	if m.To, err = s.parsePlace(right); err != nil {
		return err
	}
	switch {
	case wide:
		bits, err := strconv.Atoi(width[min(1, len(width)):])
		if err != nil || width[0] != 's' && width[0] != 'u' || bits != 8 && bits != 16 && bits != 32 || m.IsConst {
			return fmt.Errorf("%q is not a width of a value; use s8, s16, s32, u8, u16 or u32", width)
		}
		m.Signed, m.From.Size = width[0] == 's', int64(bits/8)
	case m.From.Size == 0 && !m.IsConst:
		m.From.Size = m.To.Size
	}
	if m.To.Size == 0 {
		if m.To.Size = m.From.Size; m.IsConst {
			return fmt.Errorf("%s: the number of bytes is missing; write it, such as [0:4]", right)
		}
	}
	if m.To.Size == 0 {
		return fmt.Errorf("the number of bytes is missing; write it, such as [0:4]")
	}
	if m.IsConst && m.To.Size < 8 {
		high := m.Const >> (8 * m.To.Size)
		if all := ^uint64(0) >> (8 * m.To.Size); high != 0 && (high != all || m.Const>>(8*m.To.Size-1)&1 == 0) {
			return fmt.Errorf("the constant does not fit into %d bytes", m.To.Size)
		}
		m.Const &= 1<<(8*m.To.Size) - 1
	}
	s.Moves = append(s.Moves, m)
	return nil
}

// parsePlace reads a place. A place in memory without a range has the size 0.
func (s *Shim) parsePlace(text string) (Place, error) {
	rest := text
	bad := func(format string, args ...any) (Place, error) {
		return Place{}, fmt.Errorf("%s: %s", diag.Printable(text), fmt.Sprintf(format, args...))
	}
	p := Place{}
	rest, p.Deref = strings.CutPrefix(rest, "*")
	if head, align, ok := strings.Cut(rest, "@"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(align), 10, 64)
		if err != nil || n < 1 || n > 128 || n&(n-1) != 0 || !p.Deref {
			return bad("@ says what an address after * is a multiple of, a power of two up to 128")
		}
		rest, p.Align = strings.TrimSpace(head), n
	}
	side, rest, ok := strings.Cut(rest, ".")
	switch {
	case ok && side == "caller":
	case ok && side == "callee":
		p.Side = Callee
	default:
		return bad("no place; one is such as caller.x, callee.0[4:8], callee.result or *caller.p[0:16]")
	}
	var span string
	if i := strings.IndexByte(rest, '['); i >= 0 {
		if rest, span, _ = strings.Cut(rest, "["); !strings.HasSuffix(span, "]") {
			return bad("no ] at its end")
		}
		span = strings.TrimSuffix(span, "]")
		rest = strings.TrimSpace(rest)
	}
	index, err := s.index(p.Side, rest)
	if err != nil {
		return bad("%v", err)
	}
	p.Formal = index
	f := s.formal(p)
	switch {
	case span != "":
		from, to, ok := strings.Cut(span, ":")
		a, err1 := strconv.ParseInt(strings.TrimSpace(from), 0, 64)
		b, err2 := strconv.ParseInt(strings.TrimSpace(to), 0, 64)
		switch {
		case ok && err1 == nil && b > maxMoved && a >= 0: // ParseInt has the largest number for what is larger
			return bad("[%s] ends after byte %d, and a shim moves no more", span, maxMoved)
		case !ok || err1 != nil || err2 != nil || a < 0 || b <= a:
			return bad("[%s] is not a range of bytes; [0:4] is the first four", span)
		}
		p.Off, p.Size = a, b-a
	case !p.Deref:
		p.Size = sizeOf(f)
	}
	return p, nil
}

// index returns that of a formal by its name or its position.
func (s *Shim) index(side Side, name string) (int, error) {
	f := s.side(side)
	if i := slices.IndexFunc(f.Params, func(p ptx.Formal) bool { return p.Name == name }); i >= 0 {
		return i, nil
	}
	if name == "result" || len(f.Results) == 1 && f.Results[0].Name == name {
		if len(f.Results) != 1 {
			return 0, fmt.Errorf("the %s has no result", side)
		}
		return ResultFormal, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.Params) {
		return i, nil
	}
	var have []string
	for i := range f.Params {
		have = append(have, f.Params[i].Name)
	}
	if len(f.Results) == 1 {
		have = append(have, "result")
	}
	return 0, fmt.Errorf("the %s has no such formal; it has %s", side, strings.Join(have, ", "))
}

// ByPosition returns the shim between two declarations that pass the same bytes in the
// same order: formals of one size as they are, scalars into an array where C puts the
// fields of a struct, and an array into scalars.
func ByPosition(caller, callee *ptx.Func, name string) (*Shim, diag.List) {
	s := declared(caller, callee, name)
	s.Head = append(s.Head, "Formals were paired by their position and their bytes.")
	e := errs{}
	if s.checkDeclarations(&e); len(e.list) == 0 {
		s.pairs(&e)
	}
	if len(e.list) == 0 {
		switch a, b := len(caller.Results), len(callee.Results); {
		case a != b:
			e.add(callee.Pos, "the caller has %s and the callee %s: whether a result goes through an address, or is a status, a mapping has to say, such as \"*callee.0[0:4] -> caller.result\" or \"0 -> caller.result\"", results(a), results(b))
		case a == 1:
			from, to := s.whole(Callee, ResultFormal), s.whole(Caller, ResultFormal)
			if from.Size != to.Size {
				e.add(callee.Results[0].Pos, "the callee's result has %d bytes and the caller's %d: write a mapping", from.Size, to.Size)
				break
			}
			s.Moves = append(s.Moves, Move{From: from, To: to})
		}
	}
	if len(e.list) > 0 {
		return nil, e.list
	}
	if list := s.check(); len(list) > 0 {
		return nil, list
	}
	return s, nil
}

func results(n int) string {
	if n == 0 {
		return "no result"
	}
	return "one"
}

// whole is a formal.
func (s *Shim) whole(side Side, i int) Place {
	p := Place{Side: side, Formal: i}
	p.Size = sizeOf(s.formal(p))
	return p
}

// pairs pairs parameters.
func (s *Shim) pairs(e *errs) {
	i, j := 0, 0
	for i < len(s.Caller.Params) || j < len(s.Callee.Params) {
		if i == len(s.Caller.Params) || j == len(s.Callee.Params) {
			side, k := Caller, i
			if i == len(s.Caller.Params) {
				side, k = Callee, j
			}
			p := s.whole(side, k)
			e.add(s.formal(p).Pos, "%s.%s has no counterpart: write a mapping, or in it \"caller.NAME -> nothing\" or \"0 -> callee.NAME\"", side, s.nameOf(p))
			return
		}
		a, b := s.whole(Caller, i), s.whole(Callee, j)
		from, to := 1, 1 // how many formals of each side
		switch {
		case a.Size == b.Size:
			s.Moves = append(s.Moves, Move{From: a, To: b})
		case a.Size < b.Size:
			from = s.fill(b, a, i)
		default:
			to = s.fill(a, b, j)
		}
		if from == 0 || to == 0 {
			e.add(s.formal(b).Pos, "callee.%s has %d bytes, and caller.%s %d: which go where a mapping has to say", s.nameOf(b), b.Size, s.nameOf(a), a.Size)
			return
		}
		i, j = i+from, j+to
	}
}

// fill moves between one large formal and as many small ones of the other side as fill it,
// each at its alignment as in a struct. It returns how many that are; 0 where they do not.
func (s *Shim) fill(large, small Place, first int) int {
	if len(s.formal(large).Dims) == 0 {
		return 0
	}
	var moves []Move
	off, align := int64(0), alignOf(s.formal(large))
	params := s.side(small.Side).Params
	n := 0
	for ; first+n < len(params) && off < large.Size; n++ {
		p := s.whole(small.Side, first+n)
		a := alignOf(&params[first+n])
		at := (off + a - 1) / a * a
		if at != off || at+p.Size > large.Size || a > align {
			return 0 // bytes that mean nothing would be a guess
		}
		part := large
		part.Off, part.Size = at, p.Size
		m := Move{From: p, To: part}
		if small.Side == Callee {
			m = Move{From: part, To: p}
		}
		moves = append(moves, m)
		off = at + p.Size
	}
	if off != large.Size {
		return 0
	}
	s.Moves = append(s.Moves, moves...)
	return n
}
