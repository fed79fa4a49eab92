package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cubinData = "../../internal/cubin/testdata"

// source writes a source to a file and returns its path.
func writeSource(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const wideHead = ".version 8.1\n.target sm_80\n.address_size 64\n"

func wideModule(t *testing.T) string {
	t.Helper()
	body, err := os.ReadFile(cubinData + "/wide.ptx")
	require.NoError(t, err)
	return wideHead + string(body)
}

func TestVerify(t *testing.T) {
	schema := readSchema(t, "verify")
	good := writeSource(t, "wide.ptx", wideModule(t))
	bad := writeSource(t, "wide.ptx", strings.Replace(wideModule(t), "s[5000]", "s[5008]", 1))
	for _, tt := range []struct {
		what, file, source string
		status             int
		want               []string
	}{
		{"a cubin", "cubins/wide-sm_80-12.4.cubin", good, 0, []string{"(sm_80, toolkit 12.4)", "kernel wide: same, c[0x0][0x1a80], 5010 bytes", "\nno difference\n"}},
		{"a drifted struct", "cubins/wide-sm_80-12.4.cubin", bad, 1, []string{"\n  > 0      0 … 5008", "parameter 0 (s) has 5000 bytes, 5008 in ", "\n4 differences\n"}},
		{"all cubins of a fatbin", "fatbins/zstd-13.5.fatbin", good, 0, []string{"fatbin(0x", "(sm_80, toolkit 12.4)", "(sm_90, toolkit 12.4)", "c[0x0][0x210]"}},
		{
			"CUDA C++", "cubins/wide-sm_90-12.4.cubin",
			writeSource(t, "k.cu", "struct __attribute__((aligned(16))) S { char c[4992]; };\n"+
				"extern \"C\" __global__ void wide(S s, int *p, short h) {}\n"),
			1,
			[]string{"parameter 0 (s) has 5000 bytes, 4992 in ", "parameter 1 (p) at offset 5000, at 4992 in "},
		},
		{
			"a header", "cubins/narrow-sm_80-11.8.cubin",
			writeSource(t, "k.cu", "extern \"C\" __global__ void k(unsigned char c, unsigned p);\n"), 0,
			[]string{"kernel k: same, c[0x0][0x160], 8 bytes"},
		},
	} {
		r := ptxabi(nil, "verify", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.what)
		}
		r = ptxabi(nil, "verify", "-format", "json", cubinData+"/"+tt.file, tt.source)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.what, r.stderr)
		schema.check(t, r.stdout)
	}
}

func TestVerifyRefuses(t *testing.T) {
	good := writeSource(t, "wide.ptx", wideModule(t))
	file := cubinData + "/cubins/wide-sm_80-12.4.cubin"
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{file}, 2, "verify: 1 files, expected two: CUBIN FILE"},
		{[]string{"-format", "xml", file, good}, 2, `-format "xml" is none of text, json`},
		{[]string{good, good}, 2, "neither a cubin nor a fatbin nor an ELF file"},
		{[]string{file, file}, 2, "an ELF file, not PTX text"},
		{[]string{"nowhere.cubin", good}, 2, "nowhere.cubin: no such file"},
		{[]string{file, "x.go"}, 2, "Go files are not there yet"},
		{[]string{file, writeSource(t, "x.h", "struct S { int x; };\n")}, 2, "declares no kernels"},
		{[]string{file, writeSource(t, "x.ptx", wideHead+".func (")}, 1, "x.ptx:4:"},
	} {
		r := ptxabi(nil, append([]string{"verify"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, tt.want)
		assert.Contains(t, r.stderr, tt.want)
		assert.Empty(t, r.stdout, tt.want)
	}
}
