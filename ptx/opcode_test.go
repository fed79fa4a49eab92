package ptx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sharing returns n words of one length that have one place among opcodes.
func sharing(n, length int) []string {
	places := make(map[uint64][]string)
	for i := 0; ; i++ {
		word := fmt.Sprintf("op.x%0*d", length-4, i)
		text := word + strings.Repeat(" ", 2*longOpcode)
		a, b := eight(text, 0), eight(text, 8)
		b = bytesBefore(b, blanksIn(b))
		place := opcodePlace(a, b)
		if places[place] = append(places[place], word); len(places[place]) == n {
			return places[place]
		}
	}
}

// TestOpcodesShare reads words that have one place: as many as opcodeWays are all kept, so that
// none is found out again, and more are read rightly.
func TestOpcodesShare(t *testing.T) {
	for _, n := range []int{2, 3, opcodeWays, opcodeWays + 1, 3 * opcodeWays} {
		words := sharing(n, 11)
		var list []string
		for range 3 {
			for _, w := range words {
				list = append(list, w+" %r1, %r2;")
			}
		}
		var r Reader
		requireQuick(t, &r, list...)
		kept := make(map[string]bool)
		for i := range r.p.opcodes {
			kept[r.p.opcodes[i].text] = true
		}
		for _, w := range words {
			assert.True(t, n > opcodeWays || kept[w], "%s of %d", w, n)
		}
	}
}

// TestOpcodesMany reads more opcodes than there are places, short ones and long ones,
// each of them several times.
func TestOpcodesMany(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	var list []string
	for i := range 3 << opcodeBits {
		word := strings.Repeat("o", 1+i%30) + fmt.Sprint(i)
		for range 3 {
			list = append(list, word+" %r1, %r2;")
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var r Reader
	requireQuick(t, &r, list...)
	requireQuick(t, &r, list...)
}

// TestOpcodesOfPrototypes shows that names of prototypes, of which a module may have many, do
// not push opcodes out.
func TestOpcodesOfPrototypes(t *testing.T) {
	var r Reader
	requireQuick(t, &r, "ret;", "prototype_7 : .callprototype ()_ ();", "ret;")
	for i := range r.p.opcodes {
		require.NotEqual(t, "prototype_7", r.p.opcodes[i].text)
	}
}
