package ptx

// plainVariable parses a declaration up to and with its first name as compilers
// write it, in one line: a space, an alignment perhaps, a type, a name, and a count
// or an extent. The current token is the space. Where anything else
// stands it reports false, and has parsed nothing. Else off is behind it.
func (p *parser) plainVariable(s *Spec, v *Var) bool {
	space := spaceOf(p.lit())
	if space != RegSpace && space != ParamSpace && space != LocalSpace {
		return false
	}
	end := p.variableAt(s, v, space, p.pos, p.off)
	if end == len(p.src) {
		return false
	}
	p.off = end
	return true
}

// variableAt is plainVariable for a space at pos, behind which i is. It returns
// the offset behind the variable, and the length of the text where there is none.
func (p *parser) variableAt(s *Spec, v *Var, space Space, pos Pos, i int) int {
	src := p.src
	align, alignPos := int64(0), Pos{}
	at := gap(src, i)
	if uint(at+7) < uint(len(src)) && src[at:at+7] == ".align " {
		alignPos = p.posAt(at)
		align, i = p.plainNumber(p.blanks(at + 7))
		if at = gap(src, i); at == i { // 8.b8 is no number
			return len(src)
		}
	}
	if uint(at) >= uint(len(src)) || src[at] != '.' {
		return len(src)
	}
	i = through(src, at+1, cIdent)
	t := TypeOf(src[at:i])
	first := gap(src, i)
	i = p.quickName(first)
	if t != NoType && uint(i) >= uint(len(src)) && p.quickly && p.at(first, '_') {
		i = first + 1 // formals of prototypes have no other name
	}
	if t == NoType || uint(i) >= uint(len(src)) {
		return len(src)
	}
	name, count, extent := src[first:i], int64(0), int64(NoExtent)
	switch src[i] {
	case '<':
		if count, i = p.plainNumber(i + 1); count == 0 {
			count = ZeroCount
		}
		i = p.plainByte('>', i)
	case '[':
		extent, i = p.plainNumber(i + 1)
		i = p.plainByte(']', i)
	}
	next := i
	if next < len(src) && src[next] <= ' ' {
		next = p.blanks(i)
	}
	if next == len(src) || src[next] != ',' && src[next] != ';' && src[next] != ')' {
		return len(src)
	}
	s.Space, s.SpacePos, s.Align, s.AlignPos, s.Type, s.TypePos = space, pos, align, alignPos, t, p.posAt(at)
	v.Pos, v.Name, v.Count = p.posAt(first), name, count
	if extent != NoExtent {
		*p.dims.spare(&p.scanner) = extent
		v.Dims = p.dims.array[p.dims.at:][:1:1]
		p.dims.take(1)
	}
	return i
}

// plainNumber reads a decimal number that is not large.
func (p *parser) plainNumber(i int) (n int64, end int) {
	src, first := p.src, i
	for uint(i) < uint(len(src)) && src[i]-'0' <= 9 {
		n = 10*n + int64(src[i]-'0')
		i++
	}
	if digits := i - first; digits != 1 && (digits == 0 || digits > 9 || src[first] == '0') { // what is octal begins with 0
		return 0, len(src)
	}
	return n, i
}

func (p *parser) plainByte(c byte, i int) int {
	if i == len(p.src) || p.src[i] != c {
		return len(p.src)
	}
	return i + 1
}
