package layoutcmd_test

import (
	"bufio"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

// TestHeaders compares the records of testdata/headers, which have what real headers were seen to
// have, with those of clang 19, line for line: sizes, alignments, and the offset of each member.
func TestHeaders(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("clang 19 is not installed")
	}
	for _, file := range must.Glob(t, "testdata/headers/*.h*") {
		lang, std := "c", "-std=gnu17"
		if filepath.Ext(file) == ".hpp" {
			lang, std = "c++", "-std=gnu++17"
		}
		// The first pass has all records, but without attributes after the brace; the second those that are used.
		theirs := map[string]string{}
		for _, dump := range []string{"-fdump-record-layouts-complete", "-fdump-record-layouts"} {
			out, err := exec.Command(clang, "--target=nvptx64-nvidia-cuda", "-x", lang, std, "-w", "-nostdlibinc", "-fsyntax-only", "-Xclang", dump, file).Output()
			require.NoError(t, err, file)
			maps.Copy(theirs, dumped(string(out)))
		}
		require.NotEmpty(t, theirs, file)
		res, err := layoutcmd.Load(file, must.Read(t, file), layoutcmd.Options{Lang: lang, Partial: true, Producer: layout.Clang})
		require.NoError(t, err, file)
		assert.Empty(t, res.Errors, file)
		ours := map[string]string{}
		for _, d := range res.Unit.Records {
			if d.Layout != nil {
				ours[recordHead(d)] = cdecl.Dump(d.Layout)
			}
		}
		for head, block := range theirs {
			assert.Equal(t, places(block), places(ours[head]), "%s: clang\n%s\nours%s", head, block, ours[head])
		}
	}
}

var unnamedAt = regexp.MustCompile(`\((?:anonymous|unnamed)(?: struct| union| class| enum)? at (.*?)\)`)

// argumentWords are what clang has in the arguments of templates beyond their names.
var argumentWords = strings.NewReplacer("struct ", "", "union ", "", "class ", "", "enum ", "", "_Bool", "bool", "> >", ">>")

// cxxName spells template arguments without keywords.
func cxxName(head string) string {
	name, args, ok := strings.Cut(head, "<")
	if !ok {
		return head
	}
	for old := ""; old != args; {
		old, args = args, argumentWords.Replace(args)
	}
	return name + "<" + args
}

// dumped cuts what clang prints into blocks, by the head of each, those of records that have a name and are not clang's own.
func dumped(out string) map[string]string {
	res := map[string]string{}
	for _, b := range strings.Split(out, "\n*** Dumping AST Record Layout\n")[1:] {
		b, _, _ = strings.Cut(b, "\n\n")
		head, _, _ := strings.Cut(b, "\n")
		_, head, _ = strings.Cut(head, "| ")
		if head = cxxName(strings.TrimSuffix(head, " (empty)")); !unnamedAt.MatchString(head) && head != "struct __NSConstantString_tag" {
			res[head] = b
		}
	}
	return res
}

// places are a block without the types: where each member lies, how deep, and its name.
func places(block string) string {
	var out strings.Builder
	s := bufio.NewScanner(strings.NewReader(block))
	for first := true; s.Scan(); {
		where, text, ok := strings.Cut(s.Text(), "| ")
		if !ok || strings.TrimSpace(text) == "" {
			continue
		}
		where = strings.TrimSpace(where)
		depth := len(text) - len(strings.TrimLeft(text, " "))
		name := text[strings.LastIndexByte(strings.TrimSuffix(text, " (empty)"), ' ')+1:]
		switch {
		case where == "":
			name = strings.TrimSpace(text)
		case first || unnamedAt.MatchString(text):
			name = ""
		}
		first = false
		fmt.Fprintf(&out, "%s %d %s\n", where, depth, name)
	}
	return out.String()
}

// recordHead is the key of a record in what clang prints.
func recordHead(d *cdecl.RecordDecl) string {
	if d.Type.Name == "" { // of a typedef
		return d.Name
	}
	return d.Type.Kind.String() + " " + cxxName(d.Type.Name)
}
