package ptx

// CountTokens walks over a text and builds nothing.
func CountTokens(src string) (n int) {
	s := scanner{src: src, line: 1}
	for s.next(); s.tok != tEOF; s.next() {
		n++
	}
	return n
}

// ParseTokens is ParseString without the fast path.
func ParseTokens(name, src string) (*Module, error) {
	p := newParser(name, src)
	p.fast.off = true
	p.module()
	return &p.of.mod, p.err()
}
