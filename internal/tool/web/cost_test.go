package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLooked counts the bytes that are looked at for names, in texts as long as
// they may be: about once each where the names are where they are declared, and
// no more than the bound where none of them stands in the text.
func TestLooked(t *testing.T) {
	const members = maxPieces / maxDrawn
	records := func(member string) string {
		var b strings.Builder
		b.WriteString("#define MEMBER(a, b) int a##b\n")
		for i := range maxDrawn {
			fmt.Fprintf(&b, "struct S%d {\n", i)
			for j := range members {
				fmt.Fprintf(&b, member+";\n", j)
			}
			b.WriteString("};\n")
		}
		b.WriteString(strings.Repeat("// the end is far away\n", (MaxText-b.Len())/23))
		return b.String()
	}
	for _, tt := range []struct {
		name, member string
		most         int
	}{
		{"declared", "int member%d", MaxText},
		{"made by a macro", "MEMBER(member, %d)", maxLooked + MaxText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &answer{req: Request{Text: records(tt.member), Lang: "c"}, res: newResponse(), lines: map[string]int{}}
			a.res.Lang = "c"
			a.text = newText(a.req.Text)
			a.declarations()
			require.False(t, a.res.Broken)
			require.NotEmpty(t, a.res.Pictures)
			assert.LessOrEqual(t, a.text.looked, tt.most)
			assert.Equal(t, tt.name == "declared", len(a.res.Spans) == maxDrawn*members)
		})
	}
}
