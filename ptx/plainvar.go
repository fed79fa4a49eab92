package ptx

// plainVariable parses a declaration up to and with its first name as compilers
// write it, in one line: a space, an alignment perhaps, a type, a name, and a count
// or an extent. The current token is the space, and s is zero. Where anything else
// stands it reports false, and has parsed nothing. Else off is behind it.
func (p *parser) plainVariable(s *Spec, v *Var) bool {
	src, space := p.src, spaceOf(p.lit())
	if space != RegSpace && space != ParamSpace && space != LocalSpace {
		return false
	}
	align, alignPos := int64(0), Pos{}
	at, i := p.plainWord(p.off)
	if src[at:i] == ".align" {
		alignPos = p.posAt(at)
		if align, i = p.plainNumber(p.blanks(i)); i == len(src) || src[i] == '.' { // 8.b8 is no number
			return false
		}
		at, i = p.plainWord(i)
	}
	t := TypeOf(src[at:i])
	first := p.blanks(i)
	i = p.plainName(first)
	if t == NoType || i == len(src) {
		return false
	}
	name, count, extent := src[first:i], int64(NoCount), int64(NoExtent)
	switch src[i] {
	case '<':
		count, i = p.plainNumber(i + 1)
		i = p.plainByte('>', i)
	case '[':
		extent, i = p.plainNumber(i + 1)
		i = p.plainByte(']', i)
	}
	next := p.blanks(i)
	if next == len(src) || src[next] != ',' && src[next] != ';' && src[next] != ')' {
		return false
	}
	s.Space, s.SpacePos, s.Align, s.AlignPos, s.Type, s.TypePos = space, p.pos, align, alignPos, t, p.posAt(at)
	v.Pos, v.Name, v.Count = p.posAt(first), name, count
	if extent != NoExtent {
		dims := p.dims.peek(&p.scanner, 1)
		dims[0] = extent
		p.dims.take(1)
		v.Dims = dims
	}
	p.off = i
	return true
}

// plainWord finds a word that begins with a dot.
func (p *parser) plainWord(i int) (first, end int) {
	first = p.blanks(i)
	if first == len(p.src) || p.src[first] != '.' {
		return len(p.src), len(p.src)
	}
	return first, through(p.src, first+1, cIdent)
}

// plainNumber reads a decimal number that is not large.
func (p *parser) plainNumber(i int) (n int64, end int) {
	first := i
	for i < len(p.src) && digit(p.src[i]) {
		n = 10*n + int64(p.src[i]-'0')
		i++
	}
	if digits := i - first; digits == 0 || digits > 9 || digits > 1 && p.src[first] == '0' { // what is octal begins with 0
		return 0, len(p.src)
	}
	return n, i
}

func (p *parser) plainByte(c byte, i int) int {
	if i == len(p.src) || p.src[i] != c {
		return len(p.src)
	}
	return i + 1
}
