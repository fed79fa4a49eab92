package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// stub is a compiler of our own, which aligns the type bytes_64 as it is told.
func stub(t *testing.T, align string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
	path, err := filepath.Abs("testdata/stub.sh")
	require.NoError(t, err)
	return "cuda:stub:" + align + "=sh " + path + " " + align + " {in} {out}"
}

// TestStubs has a pair that agrees, and one of which bytes do not arrive.
func TestStubs(t *testing.T) {
	var out strings.Builder
	wrong, err := run(&out, stub(t, "4"), stub(t, "4"), "bytes_64", 0, 1, "sm_80", "")
	require.NoError(t, err)
	assert.Zero(t, wrong)
	assert.Equal(t, "caller stub 4, callee stub 4: 2 arrive, 0 arrive though declared otherwise, 0 refused, 0 wrong, 0 not executed\n", out.String())
	out.Reset()
	wrong, err = run(&out, stub(t, "16"), stub(t, "4"), "bytes_64", 0, 1, "sm_80", "")
	require.NoError(t, err)
	assert.Equal(t, 1, wrong, out.String())
	assert.Contains(t, out.String(), "bytes_64, after a struct of 65 bytes: declarations: modules differ on f: ")
	assert.Contains(t, out.String(), "does not arrive: bytes 0-63\n")
	assert.Contains(t, out.String(), "0 arrive, 1 arrive though declared otherwise, 0 refused, 1 wrong, 0 not executed")
}

// TestClangs has what is known of clang 14 to 16 beside themselves.
func TestClangs(t *testing.T) {
	tools, _ := oracle.Find()
	if tools == nil || len(tools.Clangs) == 0 {
		t.Skip("there is no clang here")
	}
	word := "clang=" + tools.Clangs[0].Path
	var out strings.Builder
	wrong, err := run(&out, word, word, "char,bytes_3,bytes_160,double_char,int128,booleans,bits_int", 2, 1, "sm_80", "")
	require.NoError(t, err)
	assert.Zero(t, wrong, out.String())
	assert.Contains(t, out.String(), "14 arrive, 0 arrive though declared otherwise, 0 refused, 0 wrong, 0 not executed")
}

// TestLinked has what is said of declarations beside what a linker does.
func TestLinked(t *testing.T) {
	tools, _ := oracle.Find()
	if tools == nil {
		t.Skip("there is no toolkit here")
	}
	var dir string
	for _, tk := range tools.Toolkits {
		if _, err := exec.LookPath(filepath.Join(filepath.Dir(tk.Ptxas), "nvlink")); err == nil {
			dir = filepath.Dir(tk.Ptxas)
		}
	}
	if dir == "" {
		t.Skip("there is no linker of NVIDIA's here")
	}
	var out strings.Builder
	wrong, err := run(&out, stub(t, "16"), stub(t, "4"), "bytes_64", 0, 1, "sm_80", dir)
	require.NoError(t, err)
	assert.Equal(t, 1, wrong, out.String())
	assert.Contains(t, out.String(), "linked: 2, 0 of them against what the declarations say")
}

func TestUnknown(t *testing.T) {
	_, err := run(&strings.Builder{}, "clang", "", "", 0, 1, "sm_80", "")
	assert.EqualError(t, err, `"clang" is no KIND=PROGRAM`)
	_, err = run(&strings.Builder{}, stub(t, "1"), stub(t, "1"), "nothing", 0, 1, "sm_80", "")
	assert.EqualError(t, err, `-type: there is no type "nothing"`)
	_, err = run(&strings.Builder{}, stub(t, "1"), stub(t, "1"), "", 0, 1, "sm_80", t.TempDir())
	assert.ErrorContains(t, err, "ptxas")
}
