package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// anyToolkit returns the newest toolkit, and skips a test where there is none.
func anyToolkit(t *testing.T) *oracle.Toolkit {
	t.Helper()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	return tools.Toolkits[len(tools.Toolkits)-1]
}

// A result is the output of a run, and its exit status.
type result struct {
	stdout, stderr string
	status         int
}

func ptxmeasure(args ...string) result {
	var out, errs strings.Builder
	status := run(args, &out, &errs)
	return result{out.String(), errs.String(), status}
}

func TestMeasureUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x.ptx"}, `ptxmeasure: x.ptx is not a flag; it reads no file`},
		{[]string{"-n", "0"}, `ptxmeasure: -n is 0, expected 1 or more`},
		{[]string{"-level", "4"}, `ptxmeasure: -level is 4, expected 0, 1, 2 or 3`},
		{[]string{"-oracle", dir}, `ptxmeasure: -oracle: no ptxas in "` + dir + `"`},
	} {
		assert.Equal(t, result{"", c.want + "\n", 2}, ptxmeasure(c.args...), c.args)
	}
}

func TestPairsOf(t *testing.T) {
	tools := &oracle.Tools{Toolkits: []*oracle.Toolkit{{Targets: []string{"sm_80", "sm_999"}}}}
	pairs, err := pairsOf(tools, "")
	require.NoError(t, err)
	require.Len(t, pairs, 2)
	assert.Equal(t, "no nvdisasm for it", pairs[0].missing)
	assert.Equal(t, "ptxabi does not know this target", pairs[1].missing)
	pairs, err = pairsOf(tools, "compute_80")
	require.NoError(t, err)
	assert.Len(t, pairs, 1)
	_, err = pairsOf(tools, "sm_90")
	assert.EqualError(t, err, "no ptxas found assembles for sm_90")
	_, err = pairsOf(tools, "sm_999")
	assert.ErrorContains(t, err, `unknown target "sm_999"`)

	// The output names the pairs that cannot be compared.
	var out strings.Builder
	m := &measurement{out: &out, pairs: pairs[:1], n: 1}
	require.EqualError(t, m.run(context.Background()), "nothing was compared: the lines say why")
	assert.Contains(t, out.String(), "sm_80    64    not compared: no nvdisasm for it\n")
}

// TestMeasureLive runs the command with one toolkit.
func TestMeasureLive(t *testing.T) {
	anyToolkit(t)
	r := ptxmeasure("-target", "sm_90", "-n", "3", "-seed", "2")
	require.Equal(t, 0, r.status, r.stderr)
	t.Log(r.stdout)
	assert.Regexp(t, regexp.MustCompile(`(?m)^\d+\.\d+\.\d+ +sm_90 +64 +2 +3 +\d+ +0 +0$`), r.stdout)
}

// TestMeasureDifference holds a toolkit against a row that is wrong.
func TestMeasureDifference(t *testing.T) {
	tk := anyToolkit(t)
	row := must.Target(t, "sm_90")
	row.Passing.MaxAlign = 8
	if !tk.Measures(row.Name) {
		t.Skipf("%s does not measure %s", tk, row.Name)
	}
	var out strings.Builder
	m := &measurement{out: &out, pairs: []pair{{tk, row.Name, row, ""}}, seed: 1, n: 60}
	require.ErrorIs(t, m.run(context.Background()), errDifferences)
	assert.Regexp(t, `(?m)^callee p\d+\[0:\d+\]: Assign says \S+, ptxas \S+$`, out.String())
	assert.Contains(t, out.String(), ".visible .func caller_")
	assert.Contains(t, out.String(), "RET.ABS.NODEC")
}

// TestMeasureBroken holds that a disassembler that fails is no success. The
// tools are shell scripts: what they answer is all that is known of them.
func TestMeasureBroken(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here to make tools of")
	}
	dir := t.TempDir()
	tool := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+shell+"\n"+script), 0o700))
	}
	tool("ptxas", `case "$1" in
--version) echo "Cuda compilation tools, release 12.4, V12.4.131" ;;
--help) echo "Allowed values for this option: 'sm_80'." ;;
*)
	for last; do in=$last; [ "$prev" = -o ] && out=$last; prev=$last; done
	for arg; do case "$arg" in *.ptx) in=$arg ;; esac; done
	grep -q 'version 99.9' "$in" && { echo "ptxas fatal : Unsupported .version 99.9; current version is '8.4'" >&2; exit 255; }
	grep -q 'address_size 32' "$in" && exit 255
	[ -n "$out" ] && echo code > "$out" ;;
esac
exit 0
`)
	r := ptxmeasure("-oracle", dir, "-n", "1")
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stdout, "sm_80    64    not compared: no nvdisasm for it\n")
	assert.Equal(t, "ptxmeasure: nothing was compared: the lines say why\n", r.stderr)

	tool("nvdisasm", `case "$1" in
--help) echo "Allowed values for this option: 'SM80'." ;;
*) echo "out of order" >&2; exit 1 ;;
esac
`)
	r = ptxmeasure("-oracle", dir, "-n", "1")
	assert.Equal(t, 2, r.status)
	assert.Regexp(t, `sm_80    64    not compared: nvdisasm for sm_80: .*: exit status 1: out of order\n`, r.stdout)
	assert.Equal(t, "ptxmeasure: nvdisasm fails on code for sm_80 of 12.4.131\n", r.stderr)
}
