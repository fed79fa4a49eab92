package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/golden"
)

const readme = "../../README.md"

// TestReadmeTargets holds the README's table of targets against the rows;
// -update rewrites it.
func TestReadmeTargets(t *testing.T) {
	data, err := os.ReadFile(readme)
	require.NoError(t, err)
	text := string(data)
	const begin, end = "<!-- table: targets -->\n", "<!-- end -->\n"
	head, rest, ok := strings.Cut(text, begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	got := head + begin + readmeTable() + end + tail
	if got == text {
		return
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile(readme, []byte(got), 0o666))
		return
	}
	t.Errorf("README.md is stale; go test ./cmd/ptxabi -run ReadmeTargets -update rewrites it:\n%s",
		golden.Diff(text, got, "README.md", "rows"))
}

// readmeTable has a line for consecutive targets that are known alike.
func readmeTable() string {
	var b strings.Builder
	b.WriteString("| targets | generation | known by |\n|---|---|---|\n")
	list := knownTargets()
	for i := 0; i < len(list); {
		var names []string
		first := list[i]
		for ; i < len(list) && list[i].Generation == first.Generation && list[i].known() == first.known(); i++ {
			names = append(names, list[i].Name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names, ", "), orDash(first.Generation), first.known())
	}
	return b.String()
}

// TestReadmeCommands runs every command of the README that needs no more than a
// clone, and checks that the README tells of every command there is.
func TestReadmeCommands(t *testing.T) {
	data, err := os.ReadFile(readme)
	require.NoError(t, err)
	t.Chdir("../..")
	lines := regexp.MustCompile(`(?m)^go run \./cmd/ptxabi (.+)$`).FindAllStringSubmatch(string(data), -1)
	require.GreaterOrEqual(t, len(lines), 3)
	for _, line := range lines {
		r := ptxabi(nil, strings.Fields(line[1])...)
		assert.Equal(t, 0, r.status, "%s: %s", line[0], r.stderr)
		assert.NotEmpty(t, r.stdout, line[0])
	}
	var told []string
	for _, m := range regexp.MustCompile("(?m)^\\| `ptxabi (\\w+)` \\|").FindAllStringSubmatch(string(data), -1) {
		told = append(told, m[1])
	}
	var have []string
	for _, c := range commands {
		have = append(have, c.name)
	}
	assert.Equal(t, have, told)
	assert.Regexp(t, `(?m)^go test \./\.\.\.$`, string(data))
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(data), -1) {
		_, err := os.Stat(m[1])
		assert.NoError(t, err)
	}
}

// TestHelp checks that the help of each command tells of each of its flags, and
// that its examples are command lines that the command takes.
func TestHelp(t *testing.T) {
	for _, c := range commands {
		r := ptxabi(nil, c.name, "-h")
		require.Equal(t, result{c.help, "", 0}, r)
		_, examples, ok := strings.Cut(c.help, "\nExamples:\n\n")
		require.True(t, ok)
		for line := range strings.Lines(examples) {
			_, call, ok := strings.Cut(line, "ptxabi ")
			require.True(t, ok, line)
			call, _, _ = strings.Cut(call, "<")
			args := strings.Fields(call)
			for i, arg := range args {
				switch arg {
				case "x.ptx", "x.h", "x.cu", "x.go":
					args[i] = "-"
				case "-o", "-func": // what they name is not here
					args[i], args[i+1] = "-format", "text"
				}
			}
			in := []byte(".version 7.8\n.target sm_80\n.func bar (.param .b32 x) { ret; }\n")
			if c.name == "layout" {
				in = []byte("struct Params { float x; };\n")
			}
			if c.name == "measure" {
				// What it does where there is a toolkit takes too long here.
				got := ptxabi(nil, append(args, "-oracle", t.TempDir())...)
				assert.Equal(t, 2, got.status, line)
				assert.Contains(t, got.stderr, "-oracle: no ptxas in", line)
				continue
			}
			got := ptxabi(in, args...)
			assert.Equal(t, 0, got.status, "%s: %s", line, got.stderr)
		}
	}
	for _, c := range commands {
		for _, name := range strings.Fields("target assume func format o color") {
			has := !strings.Contains(ptxabi(nil, c.name, "-"+name, "x").stderr, "not defined")
			told := regexp.MustCompile(`(?m)^  -` + name + ` `).MatchString(c.help)
			assert.Equal(t, has, told, "%s -%s", c.name, name)
		}
	}
}
