package layoutcmd_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
		h := &header{file: file, lang: "c"}
		if filepath.Ext(file) == ".hpp" {
			h.lang = "c++"
		}
		theirs, ok := h.clang(clang)
		require.True(t, ok, "clang refuses %s", file)
		require.NotEmpty(t, theirs, file)
		assert.Empty(t, h.compare(theirs), file)
	}
}

// A header is a file in a language.
type header struct{ file, lang string }

// linux are the macros that this package defines and clang for nvptx does not.
var linux = []string{"-D__linux__", "-D__unix__"}

var unnamedAt = regexp.MustCompile(`\((?:anonymous|unnamed)(?: struct| union| class| enum)? at (.*?)\)`)

// clang returns the blocks that clang prints for the records of a header, by name. A
// record without one has its place. With the first pass clang prints all records, but without
// attributes after the brace; with the second those that are asked for, as it uses them.
func (h *header) clang(path string) (map[string]string, bool) {
	run := func(dump, text string) (map[string]string, bool) {
		std := map[string]string{"c": "-std=gnu17", "c++": "-std=gnu++17"}[h.lang]
		args := slices.Concat([]string{"--target=nvptx64-nvidia-cuda", "-x", h.lang, std, "-w", "-nostdlibinc", "-fsyntax-only", "-ferror-limit=0", "-fno-access-control", "-Xclang", dump}, linux)
		if h.lang == "c++" {
			args = append(args, "-D__CUDACC__", "-D__NVCC__")
		}
		cmd := exec.Command(path, append(args, "-include", h.file, "-")...)
		cmd.Stdin = strings.NewReader(text)
		var out bytes.Buffer
		cmd.Stdout = &out
		err := cmd.Run()
		return dumped(out.String()), err == nil || text != ""
	}
	all, ok := run("-fdump-record-layouts-complete", "")
	if !ok {
		return nil, false
	}
	var ask strings.Builder
	n := 0
	for head := range all {
		if kind, name, _ := strings.Cut(head, " "); !unnamedAt.MatchString(head) && name != "" {
			if h.lang == "c" {
				name = kind + " " + name
			}
			fmt.Fprintf(&ask, "int ptxabi_size_%d[sizeof(%s)+1];\n", n, name)
			n++
		}
	}
	named := map[string]string{} // what a typedef calls a record without a name, and where it is
	if res, err := h.load(); err == nil {
		for _, d := range res.Unit.Records {
			if at := recordHead(d); all[at] != "" && d.Type.Name == "" && d.Name != "" {
				named[d.Name] = at
				fmt.Fprintf(&ask, "int ptxabi_size_%d[sizeof(%s)+1];\n", n, d.Name)
				n++
			}
		}
	}
	used, _ := run("-fdump-record-layouts", ask.String())
	for head, block := range used {
		name := head[strings.LastIndexByte(head, ' ')+1:]
		if at := named[name]; at != "" {
			head = at
		}
		if _, ok := all[head]; ok {
			all[head] = block
		}
	}
	for head := range all { // clang's own
		if head == "struct __NSConstantString_tag" || head == "struct __va_list_tag" {
			delete(all, head)
		}
	}
	return all, true
}

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

// dumped cuts what clang prints into blocks, by the head of each.
func dumped(out string) map[string]string {
	res := map[string]string{}
	for _, b := range strings.Split(out, "\n*** Dumping AST Record Layout\n")[1:] {
		b, _, _ = strings.Cut(b, "\n\n")
		head, _, _ := strings.Cut(b, "\n")
		_, head, _ = strings.Cut(head, "| ")
		head = cxxName(strings.TrimSuffix(head, " (empty)"))
		if m := unnamedAt.FindStringSubmatch(head); m != nil {
			head = "at " + m[1]
		}
		res[head] = b
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
	if d.Type.Name != "" {
		return d.Type.Kind.String() + " " + cxxName(d.Type.Name)
	}
	return "at " + d.Pos.String()
}

// load reads the header.
func (h *header) load() (*layoutcmd.Result, error) {
	o := layoutcmd.Options{Lang: h.lang, Partial: true, Producer: layout.Clang}
	if h.lang == "c++" {
		o.Defines = append(o.Defines, "__NVCC__")
	}
	text, err := os.ReadFile(h.file)
	if err != nil {
		return nil, err
	}
	return layoutcmd.Load(h.file, text, o)
}

// compare reads the header and returns the records that it lacks, or lays out otherwise.
func (h *header) compare(theirs map[string]string) (wrong []string) {
	res, err := h.load()
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range res.Errors {
		wrong = append(wrong, e.Error())
	}
	ours := map[string]string{}
	for _, d := range res.Unit.Records {
		if d.Layout != nil {
			ours[recordHead(d)] = cdecl.Dump(d.Layout)
		}
	}
	for head, block := range theirs {
		got, ok := ours[head]
		if !ok && strings.HasPrefix(head, "at ") {
			continue // within another, or of a variable
		}
		if places(got) != places(block) {
			wrong = append(wrong, fmt.Sprintf("%s: clang\n%s\nours%s", head, block, got))
		}
	}
	return wrong
}
