package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzScan checks what the parser needs of the scanner: every step makes progress, tokens follow
// each other and contain no blanks except in strings, and positions agree with the number of line
// ends.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"", ".reg .b32 %r<5>;", "a /* b\n */ c // d\r\n\"x\\\"y\" 0f3F800000 1e+5 .5 0x1p",
		"%", "%%r1", ".", "..v2", "/*", "//", "\"", "\"\\", "\x00\xff\u00e9", "1.", "$L__BB0_1:", "@!%p1 bra",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s := scanner{name: "in.ptx", src: src, place: place{line: 1}}
		end, line, bol, seen := 0, uint32(1), 0, 0
		for s.next(); s.tok != tEOF; s.next() {
			require.GreaterOrEqual(t, s.start, end, "tokens overlap")
			require.Greater(t, s.off, s.start, "an empty token")
			for ; seen < s.start; seen++ {
				if src[seen] == '\n' {
					line++
					bol = seen + 1
				}
			}
			require.Equal(t, Pos{Line: line, Col: uint32(s.start-bol) + 1}, s.pos)
			if s.tok != tString {
				require.False(t, strings.ContainsAny(s.lit(), " \t\r\n"), "%q", s.lit())
			}
			end = s.off
		}
		require.LessOrEqual(t, end, len(src))
		for _, e := range s.errs {
			require.True(t, e.Pos.IsValid())
		}
	})
}
