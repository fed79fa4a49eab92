package ptx

// CountTokens walks over a text and builds nothing.
func CountTokens(src string) (n int) {
	s := scanner{src: src, place: place{line: 1}}
	for s.next(); s.tok != tEOF; s.next() {
		n++
	}
	return n
}
