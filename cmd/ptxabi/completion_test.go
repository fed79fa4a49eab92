package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// flagsOf are the flags of a command; it has to be there.
func flagsOf(t *testing.T, name string) map[string]*manual.Flag {
	flags := map[string]*manual.Flag{}
	for _, c := range commands() {
		if c.name == name {
			for _, f := range c.page().Help.Flags {
				flags[f.Name] = f
			}
			return flags
		}
	}
	t.Fatalf("no command %s", name)
	return nil
}

// TestFlags holds that every flag is described, that its text names each value that
// it may have, and that the command takes those that completion hints at.
func TestFlags(t *testing.T) {
	known := 0
	for _, c := range commands() {
		for _, f := range c.page().Help.Flags {
			assert.NotEmpty(t, f.Text, "%s -%s", c.name, f.Name)
			for _, value := range f.Values {
				assert.Regexp(t, `\b`+regexp.QuoteMeta(value)+`(\W|$)`, f.Text, "%s -%s", c.name, f.Name)
			}
			if f.Values != nil {
				known++
				assert.Contains(t, ptxabi(nil, c.name, "-"+f.Name, "nonsense", "-").stderr,
					`-`+f.Name+` "nonsense" is none of `+strings.Join(f.Values, ", ")+";")
			}
		}
	}
	assert.GreaterOrEqual(t, known, 15)
	for _, name := range flagsOf(t, "layout")["producer"].Hints {
		assert.Zero(t, ptxabi([]byte("struct S { int x; };"), "layout", "-producer", name, "-").status)
	}
}

// TestBashCompletion completes command lines in bash.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to complete in")
	}
	script := filepath.Join(t.TempDir(), "ptxabi")
	require.NoError(t, os.WriteFile(script, []byte(ptxabi(nil, "completion", "bash").stdout), 0o666))
	for line, want := range map[string]string{
		"ptxabi ":                           "lower assign check layout verify annotate diff link compare adapt stack images targets export explain serve lsp batch completion help",
		"ptxabi la":                         "layout",
		"ptxabi lower -":                    "-target -assume -func -severity -format -lines -dump -without -o -v -color -h",
		"ptxabi lower --fo":                 "--format",
		"ptxabi lower -target sm_12":        "sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f",
		"ptxabi lower --target sm_3":        "sm_35 sm_37",
		"ptxabi check -format ":             "text json jsonl sarif github gitlab",
		"ptxabi check -format = ":           "text json jsonl sarif github gitlab",
		"ptxabi check -format = s":          "sarif",
		"ptxabi assign -severity ":          "error warning note",
		"ptxabi check -c x.ptx -format js":  "json jsonl",
		"ptxabi layout -rules ":             "sysv msvc",
		"ptxabi layout -lang c++ -producer": "-producer",
		"ptxabi explain StaleA":             "StaleArgument",
		"ptxabi targets sm_87":              "sm_87",
		"ptxabi help ex":                    "export explain",
		"ptxabi completion ":                "bash zsh fish",
		"ptxabi lower x":                    "", // files are the shell's
		"ptxabi lower -o -":                 "",
	} {
		words := strings.Split(line, " ")
		args := append([]string{
			"--norc", "--noprofile", "-c",
			`source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _ptxabi; echo "${COMPREPLY[*]}"`,
			"bash", script,
		}, words...)
		out, err := exec.Command(bash, args...).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
	out, err := exec.Command(bash, "--norc", "--noprofile", "-c", `source "$1"; complete -p ptxabi`, "bash", script).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "complete -o default -F _ptxabi ptxabi\n", string(out))
}

// TestOtherShells runs the shells that are here, to see whether they take the scripts,
// and holds that every command and flag is in them.
func TestOtherShells(t *testing.T) {
	for shell, flag := range map[string]string{"zsh": "'-%s[", "fish": " -o %s "} {
		text := ptxabi(nil, "completion", shell).stdout
		for _, c := range commands() {
			assert.Regexp(t, regexp.MustCompile(`\b`+c.name+`\b`), text, shell)
			for _, f := range c.page().Help.Flags {
				assert.Contains(t, text, strings.Replace(flag, "%s", f.Name, 1), "%s %s", shell, c.name)
			}
		}
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("there is no %s here to read its script", shell)
			}
			script := filepath.Join(t.TempDir(), "ptxabi")
			require.NoError(t, os.WriteFile(script, []byte(text), 0o666))
			out, err := exec.Command(path, "-n", script).CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

// TestManual holds docs/man/ptxabi.1 against the help texts; PTXABI_UPDATE=1 rewrites it.
// Where there is a groff, that reads it without a diagnostic.
func TestManual(t *testing.T) {
	r := ptxabi(nil, "help", "-man")
	require.Zero(t, r.status)
	const page = "../../docs/man/ptxabi.1"
	golden.Hold(t, page, r.stdout)
	for _, c := range commands() {
		assert.Contains(t, r.stdout, "\n.SS "+c.name+" \\- ")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here to read the page")
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tascii", page)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	assert.Empty(t, stderr.String())
}

// TestArguments holds that a flag of one name has one argument everywhere.
func TestArguments(t *testing.T) {
	args := map[string]string{}
	for _, c := range commands() {
		for _, f := range c.page().Help.Flags {
			if arg, ok := args[f.Name]; ok && f.Name != "type" { // of verify it is one
				assert.Equal(t, arg, f.Arg, "-%s of %s", f.Name, c.name)
			} else {
				args[f.Name] = f.Arg
			}
		}
	}
	assert.Greater(t, len(args), 30)
}

// TestFish completes command lines with fish, where it is installed. Descriptions keep their words.
func TestFish(t *testing.T) {
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("there is no fish here to complete in")
	}
	script := filepath.Join(t.TempDir(), "ptxabi.fish")
	require.NoError(t, os.WriteFile(script, []byte(ptxabi(nil, "completion", "fish").stdout), 0o666))
	for line, want := range map[string]string{
		"ptxabi help ex":              "explain\nexport",
		"ptxabi hel":                  "help\tdescribe a command",
		"ptxabi explain StaleA":       "StaleArgument",
		"ptxabi lower -line":          "-lines\tin text, print the source line before its instructions: ",
		"ptxabi lower -target sm_121": "sm_121\tarchitecture: sm_90, sm_90a, compute_90 or 90; the module's own by …",
	} {
		out, err := exec.Command(fish, "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line).Output()
		require.NoError(t, err, line)
		assert.Contains(t, "\n"+string(out), "\n"+want, line)
	}
}

// TestPaint has reports in colours where a flag says so, and bytes of other forms as they are.
func TestPaint(t *testing.T) {
	file := writeSource(t, "x.ptx", ".version 8.1\n.target sm_80\n.address_size 64\n.visible .func f (.param .b32 x) { ret; }\n")
	other := writeSource(t, "y.ptx", ".version 8.1\n.target sm_80\n.address_size 64\n.visible .func f (.param .b64 x) { ret; }\n")
	assert.Contains(t, ptxabi(nil, "assign", "-color", "always", file).stdout, "\x1b[1mfunc f\x1b[0m: line 4")
	assert.Contains(t, ptxabi(nil, "diff", "-color", "always", file, other).stdout, "\x1b[1;31mbreaks callers\x1b[0m")
	for _, args := range [][]string{{"assign", file}, {"assign", "-color", "always", "-format", "json", file}, {"lower", "-color", "always", file}, {"assign", "-color", "never", file}} {
		assert.NotContains(t, ptxabi(nil, args...).stdout, "\x1b", "%v", args)
	}
}
