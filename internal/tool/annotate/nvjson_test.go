package annotate_test

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
)

// asListing is what nvdisasm -json printed, as a listing.
func asListing(t *testing.T, text string) []byte {
	t.Helper()
	listing, err := io.ReadAll(iotest.OneByteReader(annotate.FromJSON(strings.NewReader(text))))
	require.NoError(t, err)
	return listing
}

// TestJSON holds that what nvdisasm -json prints has the notes of what nvdisasm -c prints.
func TestJSON(t *testing.T) {
	paths := must.Glob(t, "testdata/json/*.json")
	for _, path := range paths {
		data := must.Read(t, "testdata/golden/"+strings.TrimSuffix(filepath.Base(path), ".json")+".txtar")
		module := txtar.Parse(data).Files[0].Data
		want, err := annotated(txtar.Parse(data).Files[1].Data, module, false)
		require.NoError(t, err)
		text := must.Read(t, path)
		got, err := annotated(asListing(t, string(text)), module, false)
		require.NoError(t, err)
		assert.Equal(t, notesIn(string(want)), notesIn(string(got)), path)
		assert.Greater(t, len(notesIn(string(got))), 50)
	}
}

// TestJSONForms has operands that -json writes without what separates them, and what is no such text.
func TestJSONForms(t *testing.T) {
	const head = `[{"SM":{"version":{"major":9,"minor":0}}},[`
	text := head + `{"function-name":"k","start":0,"length":64,"other-attributes":[],"sass-instructions":[` +
		`{"predicate":"@!P0","opcode":"LDG.E","operands":"R2desc[UR4][R2.64+0x8]"},{"opcode":"LDL","operands":"R20[R1]"},{"opcode":"MOV","operands":"R1,c[0x0][0x28]"},` +
		`{"opcode":"CALL.REL.NOINC","operands":"R2,k"},{"opcode":"MOV","operands":"R4,32@hi((k + 0x20))"},{"opcode":"RET.ABS.NODEC","operands":"R20,0x0"}]},` +
		`{"function-name":"$k$f","start":32,"length":16,"sass-instructions":[{"opcode":"CALL.ABS.NOINC","operands":"ns$f"},{"opcode":"NOP"}]},` +
		`{"function-name":"f","start":0,"length":16,"sass-instructions":[{"opcode":"BRX","operands":"R2 -0x10"}]}]]`
	const want = "\t.target\tsm_90\n\n\n//--------------------- .text.k --------------------------\nk:\n" +
		"/*0000*/ @!P0 LDG.E R2, desc[UR4][R2.64+0x8] ;\n/*0010*/ LDL R20, [R1] ;\n.L_20:\n/*0020*/ MOV R1, c[0x0][0x28] ;\n" +
		"/*0030*/ CALL.REL.NOINC R2 `(k) ;\n/*0040*/ MOV R4, 32@hi((k + .L_20@srel)) ;\n/*0050*/ RET.ABS.NODEC R20 0x0 ;\n" +
		"$k$f:\n/*0020*/ CALL.ABS.NOINC `(ns$f) ;\n/*0030*/ NOP ;\n\n\n//--------------------- .text.f --------------------------\nf:\n/*0000*/ BRX R2 -0x10 ;\n"
	got := strings.ReplaceAll(strings.ReplaceAll(string(asListing(t, text)), "        /*", "/*"), "*/                   ", "*/ ")
	assert.Equal(t, want, got)

	for in, want := range map[string]string{
		``:        "unexpected EOF",
		`[]`:      "invalid character",
		`[{}]`:    "addresses are known from sm_70 on",
		`[{},[]]`: "addresses are known from sm_70 on",
		`[{"SM":{"version":{"major":6,"minor":1}}},[]]`: "the architecture is 6.1",
		`[{"SM":{"version":{"major":9}}},{}]`:           "no list of functions",
		head + `{"function-name":1}]]`:                  "cannot unmarshal",
		head + `{"function-name":"k"`:                   "unexpected EOF",
	} {
		_, err := io.ReadAll(annotate.FromJSON(strings.NewReader(in)))
		require.Error(t, err, in)
		assert.Contains(t, err.Error(), "what nvdisasm -json prints is expected: ", in)
		assert.Contains(t, err.Error(), want, in)
	}
}

// TestJSONLive compares the two forms of the disassembler of each toolkit that has both, for the kept cubins.
func TestJSONLive(t *testing.T) {
	effort.NeedLong(t, "TestJSON has two of them recorded")
	files := must.Glob(t, "../../image/cubin/testdata/cubins/*.cubin")
	compared := 0
	for _, tk := range toolkits(t) {
		if tk.Version.Major < 13 {
			continue
		}
		disassembler := filepath.Join(filepath.Dir(tk.Cuobjdump), "nvdisasm")
		for _, file := range files {
			text, err := exec.CommandContext(t.Context(), disassembler, "-json", file).Output()
			if err != nil {
				continue // it is for another architecture
			}
			listing, err := exec.CommandContext(t.Context(), disassembler, "-c", "-ndf", file).Output()
			require.NoError(t, err)
			want, err := annotated(listing, nil, false)
			require.NoError(t, err)
			got, err := annotated(asListing(t, string(text)), nil, false)
			require.NoError(t, err)
			assert.Equal(t, notesIn(string(want)), notesIn(string(got)), file)
			compared++
		}
	}
	t.Logf("%d pairs of texts", compared)
}
