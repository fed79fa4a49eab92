package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// leavesOf are the scalars of a parameter of a source that is C, CUDA or Go, and where those end that are
// listed: of many fields the first are. It is false of another source.
func leavesOf(p *Param) (all []leaf, end int, ok bool) {
	if len(p.Fields) == 0 {
		return []leaf{{typ: p.Type, size: p.Size, kind: p.kind}}, p.Size, p.scalar
	}
	end = p.Size
	if len(p.Fields) >= maxFields {
		end = p.Fields[len(p.Fields)-1].Offset - p.Offset
	}
	for i := range p.Fields {
		f := &p.Fields[i]
		one := leaf{path: f.Path, typ: f.Type, off: f.Offset - p.Offset, size: f.elem, kind: f.kind}
		if f.kind == kindBits {
			one.size = f.bits
			all = append(all, one)
			continue
		}
		if f.elem == 0 || f.Size/f.elem > mostLeaves || len(all) > mostLeaves {
			return nil, 0, false
		}
		one.opaque = f.elem == 1 && f.Size > 1
		for range f.Size / f.elem {
			all = append(all, one)
			one.off += one.size
		}
	}
	return all, end, true
}

// members compares the members of a parameter in a source with those that debug information has of it. It
// gives the first difference in words, "" if there is none. What is loose is a struct that a host fills, which may have
// an integer in the place of a pointer, and bytes in the place of anything.
//
// Halves of 16 bits are integers in a record to some compilers. A name that stands elsewhere on the
// other side shows that members of one type have changed places; other names say nothing.
func members(own, debug []leaf, end int, loose bool, source string) string {
	own, ownBits := apart(own)
	debug, debugBits := apart(debug)
	if what := bitFields(ownBits, debugBits, source); what != "" && (!loose || len(ownBits) > 0) {
		return what
	}
	ownNames, debugNames := placesOf(own), placesOf(debug)
	debugAt := leavesAt(debug)
	for _, l := range own {
		if l.off+l.size > end {
			continue
		}
		other := slices.IndexFunc(debugAt[l.off], func(d leaf) bool { return d.agrees(l, loose) })
		switch {
		case other >= 0:
			d := debugAt[l.off][other]
			if l.path != "" && elsewhere(debugNames, l) && elsewhere(ownNames, d) {
				return fmt.Sprintf("debug information has %s at %d, where %s has %s", d, l.off, source, l)
			}
		case loose && l.opaque:
		default:
			over := overlapping(debug, l)
			if len(over) == 0 && len(debugBits) > 0 {
				continue // which may be the bit-fields
			}
			if len(over) == 0 {
				return fmt.Sprintf("debug information has nothing at %d, where %s has %s", l.off, source, l)
			}
			return fmt.Sprintf("debug information has %s at %d, where %s has %s", list(over), over[0].off, source, list(overlapping(own, over[0])))
		}
	}
	var covered int
	slices.SortStableFunc(own, func(a, b leaf) int { return cmp.Compare(a.off, b.off) })
	slices.SortStableFunc(debug, func(a, b leaf) int { return cmp.Compare(a.off, b.off) })
	i := 0
	for _, d := range debug {
		for ; i < len(own) && own[i].off < d.off+d.size; i++ {
			covered = max(covered, own[i].off+own[i].size)
		}
		if d.off+d.size <= end && covered <= d.off {
			return fmt.Sprintf("debug information has %s at %d, where %s has padding", d, d.off, source)
		}
	}
	return ""
}

// agrees reports whether two scalars at one place are alike.
func (l leaf) agrees(own leaf, loose bool) bool {
	if l.size != own.size {
		return false
	}
	word := l.kind != kindFloat && own.kind != kindFloat
	return l.kind == own.kind || l.size <= 2 || loose && word
}

func (l leaf) String() string { return strings.TrimSpace(l.typ + " " + l.path) }

// list names the first three.
func list[T fmt.Stringer](all []T) string {
	var names []string
	for _, l := range all {
		if name := l.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

// apart takes bit-fields out.
func apart(all []leaf) (whole, bits []leaf) {
	for _, l := range all {
		if l.kind == kindBits {
			bits = append(bits, l)
		} else {
			whole = append(whole, l)
		}
	}
	return whole, bits
}

// bitFields compares bit-fields in their order.
func bitFields(own, debug []leaf, source string) string {
	name := func(all []leaf, i int) string {
		if i >= len(all) {
			return "none"
		}
		return fmt.Sprintf("%s of %d", all[i].path, all[i].size)
	}
	for i := range max(len(own), len(debug)) {
		if i >= len(own) || i >= len(debug) || own[i].size != debug[i].size {
			return fmt.Sprintf("bit-field %d is %s in debug information, %s in %s", i+1, name(debug, i), name(own, i), source)
		}
	}
	return ""
}

func leavesAt(all []leaf) map[int][]leaf {
	out := make(map[int][]leaf)
	for _, l := range all {
		out[l.off] = append(out[l.off], l)
	}
	return out
}

// overlapping are the scalars that have bytes in common with one.
func overlapping(all []leaf, one leaf) []leaf {
	var out []leaf
	for _, l := range all {
		if l.off < one.off+one.size && one.off < l.off+l.size {
			out = append(out, l)
		}
	}
	return out
}

// placesOf are the offsets of scalars by their names, in which languages differ by case and underscores.
func placesOf(all []leaf) map[string][]int {
	out := make(map[string][]int)
	for _, l := range all {
		out[plain(l.path)] = append(out[plain(l.path)], l.off)
	}
	return out
}

// elsewhere reports whether the name of a scalar stands at other places alone.
func elsewhere(names map[string][]int, l leaf) bool {
	at := names[plain(l.path)]
	return len(at) > 0 && !slices.Contains(at, l.off)
}

// plain is a path in small letters, without underscores and without the numbers of elements.
func plain(path string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if b.Len() > 0 || strings.HasPrefix(path, "[") {
			_, part, _ = strings.Cut(part, "]")
		}
		b.WriteString(strings.ToLower(strings.ReplaceAll(part, "_", "")))
	}
	return b.String()
}
