package golden

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// The harness is tested as it is used: the test binary runs itself, and the
// inner run's only test runs the golden cases of the directory that the
// environment variable names.
const dirVariable = "PTXABI_GOLDEN_TEST_DIR"

func TestInner(t *testing.T) {
	dir := os.Getenv(dirVariable)
	if dir == "" {
		t.Skip("runs only inside TestHarness")
	}
	Run(t, dir, map[string]Section{
		"upper": func(c *Case, args []string) ([]byte, error) {
			out := bytes.ToUpper(c.Inputs[0].Data)
			for _, a := range args {
				out = append(out, a...)
			}
			return out, nil
		},
		"name":   func(c *Case, _ []string) ([]byte, error) { return []byte(c.Name + ": " + c.Sentence), nil },
		"count":  func(c *Case, _ []string) ([]byte, error) { return make([]byte, len(c.Inputs)), nil },
		"fail":   func(*Case, []string) ([]byte, error) { return []byte("unused"), errors.New("cannot") },
		"marker": func(*Case, []string) ([]byte, error) { return []byte("-- in.ptx --\n"), nil },
	})
}

const (
	right = "Letters become big ones.\nA remark\nof two lines.\n\n-- in.ptx --\na\nb\n-- upper --\nA\nB\n"
	wrong = "Letters stay small ones.\nA remark -- of one line.\n-- in.ptx --\na\r\nb\n-- upper --\na\nb\nc\n-- upper sm_80 --\n-- name --\n"
	fixed = "Letters stay small ones.\nA remark -- of one line.\n-- in.ptx --\na\r\nb\n-- upper --\nA\r\nB\n-- upper sm_80 --\nA\r\nB\nsm_80\n-- name --\ntopic/wrong: Letters stay small ones.\n"
)

func TestHarness(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		flags  []string
		update bool
		fails  bool
		says   []string          // all of these are part of the output
		after  map[string]string // files that are not as they were
	}{
		{
			name:  "a right golden passes",
			files: map[string]string{"topic/right.txtar": right},
			says:  []string{"--- PASS: TestInner/topic/right"},
		},
		{
			name:  "a wrong golden fails with a diff and a command",
			files: map[string]string{"right.txtar": right, "topic/wrong.txtar": wrong},
			fails: true,
			says: []string{
				"--- PASS: TestInner/right",
				"--- FAIL: TestInner/topic/wrong",
				"topic/wrong.txtar: section \"upper\" differs (-want +got):\n",
				"--- upper\n", "+++ got\n", "@@ -1,3 +1,2 @@\n", "-a\n", "-c\n", "+B\n",
				"section \"upper sm_80\" differs",
				"if that is right: PTXABI_UPDATE=1 go test -run '^TestInner$/^topic$/^wrong$'\n",
			},
		},
		{
			name:   "update rewrites what differs and nothing else",
			files:  map[string]string{"right.txtar": right, "topic/wrong.txtar": wrong},
			update: true,
			says:   []string{"topic/wrong.txtar"},
			after:  map[string]string{"topic/wrong.txtar": fixed},
		},
		{
			name:  "what update wrote passes",
			files: map[string]string{"topic/wrong.txtar": fixed},
		},
		{
			name:   "update writes nothing under measured",
			files:  map[string]string{"testdata/measured/wrong.txtar": wrong},
			update: true,
			fails:  true,
			says:   []string{"measurements are not rewritten, whatever PTXABI_UPDATE says"},
		},
		{
			name:  "a case needs a sentence",
			files: map[string]string{"case.txtar": strings.TrimPrefix(right, "Letters become big ones.")},
			fails: true,
			says:  []string{"the first line has to be the sentence"},
		},
		{
			name:   "a case without a comment has no sentence",
			files:  map[string]string{"case.txtar": "-- in.ptx --\na\n-- upper --\nA\n"},
			update: true,
			fails:  true,
			says:   []string{"the first line has to be the sentence"},
		},
		{
			name:  "two cases need two sentences",
			files: map[string]string{"a.txtar": right, "b.txtar": right},
			fails: true,
			says:  []string{"stands for the same sentence as"},
		},
		{
			name:   "an unknown section fails",
			files:  map[string]string{"case.txtar": right + "-- lower sm_80 --\nx\n"},
			update: true,
			fails:  true,
			says:   []string{`section "lower sm_80": this test computes no "lower"`},
		},
		{
			name:   "a section that cannot be computed fails and stays",
			files:  map[string]string{"case.txtar": right + "-- fail --\nx\n"},
			update: true,
			fails:  true,
			says:   []string{`section "fail": cannot`},
		},
		{
			name:   "a text like a marker is not written",
			files:  map[string]string{"case.txtar": right + "-- marker --\nx\n"},
			update: true,
			fails:  true,
			says:   []string{"a section's text has a line like a txtar marker"},
		},
		{
			name:  "several inputs",
			files: map[string]string{"case.txtar": right + "-- b.ptx --\n-- count --\n\x00\x00\n"},
		},
		{
			name:  "no input",
			files: map[string]string{"case.txtar": "No input.\n-- upper --\nA\n"},
			fails: true,
			says:  []string{"there is no input"},
		},
		{
			name:  "no output",
			files: map[string]string{"case.txtar": "No output.\n-- in.ptx --\nA\n"},
			fails: true,
			says:  []string{"there is no section with an expected output"},
		},
		{
			name:  "a section twice",
			files: map[string]string{"case.txtar": right + "-- upper --\nA\nB\n"},
			fails: true,
			says:  []string{`there are two sections "upper"`},
		},
		{
			name:  "spaces in a section's name",
			files: map[string]string{"case.txtar": right + "-- upper  sm_80 --\nA\nB\nsm_80\n"},
			fails: true,
			says:  []string{`section "upper  sm_80": the name has spaces too many`},
		},
		{
			name:   "a file that would not come back as it is",
			files:  map[string]string{"case.txtar": strings.Replace(right, "-- upper --\n", "-- upper --\r\n", 1)},
			update: true,
			fails:  true,
			says:   []string{"does not print back as it is"},
		},
		{
			name:  "a file that is not a case",
			files: map[string]string{"a.txtar": right, "b.txt": right},
			fails: true,
			says:  []string{"b.txt: not a golden case"},
		},
		{
			name:  "no case at all",
			files: map[string]string{},
			fails: true,
			says:  []string{"no golden case under"},
		},
		{
			name:  "cases can be chosen",
			files: map[string]string{"right.txtar": right, "topic/wrong.txtar": wrong},
			flags: []string{"-test.run=^TestInner$/^right$"},
			says:  []string{"--- PASS: TestInner/right"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(dir, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
			}
			out, failed := inner(t, dir, tt.update, tt.flags...)
			assert.Equal(t, tt.fails, failed, "%s", out)
			for _, s := range tt.says {
				assert.Contains(t, strings.ReplaceAll(out, "        ", ""), s)
			}
			for name, text := range tt.files {
				if a, ok := tt.after[name]; ok {
					text = a
				}
				got := must.Read(t, filepath.Join(dir, name))
				assert.Equal(t, text, string(got), name)
			}
		})
	}
}

// inner runs TestInner of this binary on the cases in dir.
func inner(t *testing.T, dir string, update bool, flags ...string) (out string, failed bool) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, append([]string{"-test.v", "-test.run=^TestInner$"}, flags...)...)
	cmd.Env = append(os.Environ(), dirVariable+"="+dir, variable+"=")
	if update {
		cmd.Env = append(cmd.Env, variable+"=1")
	}
	data, err := cmd.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s", data)
	}
	return string(data), err != nil
}
