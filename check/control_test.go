package check_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestControl holds that a label between a call and what belongs to it is reported
// unless the debug sections name it, wherever others stand.
func TestControl(t *testing.T) {
	for _, test := range []struct {
		places string
		lines  []uint32 // of diagnostics
	}{
		{"", nil},
		{"HEAD Real1", nil},
		{"STORED Debug1", nil},
		{"CALLED Debug1", nil},
		{"STORED Debug1 CALLED Debug2", nil},
		{"LOADED Debug1", nil},
		{"STORED Real1", []uint32{12}},
		{"HEAD Real1 STORED Debug1", nil},
		{"CALLED Real1", []uint32{14, 16}},
		{"LOADED Real1", []uint32{16}},
		{"CALLED Debug1 LOADED Real1", []uint32{16}},
		{"STORED Real1 CALLED Debug1", []uint32{12}},
		{"STORED Debug1 CALLED Debug2 LOADED Real1", []uint32{16}},
	} {
		words := strings.Fields(test.places)
		src := splitCalls
		for i := 0; i < len(words); i += 2 {
			src = strings.Replace(src, words[i], words[i+1]+":", 1)
		}
		for _, place := range []string{"HEAD", "STORED", "CALLED", "LOADED"} {
			src = strings.Replace(src, place, "", 1)
		}
		m, err := ptx.ParseString("m", src)
		require.NoError(t, err, test.places)
		var lines []uint32
		for _, e := range check.Module(m, check.Options{Compile: true}) {
			if e.Code == check.SplitCall {
				lines = append(lines, e.Pos.Line)
			}
		}
		assert.Equal(t, test.lines, lines, test.places)
	}
}

//go:embed testdata/text/splitCalls.ptx
var splitCalls string
