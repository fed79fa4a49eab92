package layoutcmd_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

// TestHeaders compares the records of real headers with those of clang 19, line for line:
// sizes, alignments, and the offset of each member. Those of testdata/headers have what
// real ones were seen to have. PTXABI_HEADERS is another folder, or a
// file that has on each line a header and the flags that it needs, of -I, -isystem, -D,
// -include and -x; PTXABI_HEADERS_FLAGS are flags for all, and PTXABI_HEADERS_LIBC those
// that clang alone gets, so that what this package knows of libc is used. Then records of libc do not count. A header that clang does not take is
// left out. A record that clang has and ptxabi has not is listed; one with
// other bytes is a failure. PTXABI_CLANG is clang, if not clang-19.
//
//	PTXABI_HEADERS=/usr/include/libdrm PTXABI_HEADERS_FLAGS='-I /usr/include/libdrm' \
//		go test ./internal/tool/layoutcmd -run TestHeaders -v
func TestHeaders(t *testing.T) {
	where := os.Getenv("PTXABI_HEADERS")
	own := where == ""
	if own {
		where = "testdata/headers"
	}
	clang := os.Getenv("PTXABI_CLANG")
	if clang == "" {
		clang = "clang-19"
	}
	if _, err := exec.LookPath(clang); err != nil {
		t.Skip("clang 19 is not installed")
	}
	list, err := headerList(where)
	require.NoError(t, err)
	common := strings.Fields(os.Getenv("PTXABI_HEADERS_FLAGS"))
	libc := strings.Fields(os.Getenv("PTXABI_HEADERS_LIBC"))
	var whole, tried, refused, empty, same, lost, wrong int
	for _, h := range list {
		h.flags = append(h.flags, common...)
		with := *h
		with.flags = slices.Concat(h.flags, libc)
		theirs, ok := with.clang(clang)
		if ok && len(libc) > 0 {
			with.ofSystem(theirs)
		}
		if !ok {
			refused++
			continue
		}
		if len(theirs) == 0 {
			empty++
			continue
		}
		tried++
		depth := 1 << 10
		if len(libc) > 0 {
			depth = 2 // what is in the records of libc is not compared
		}
		r := h.compare(theirs, depth)
		same, lost, wrong = same+r.same, lost+len(r.lost), wrong+len(r.wrong)
		if len(r.lost)+len(r.wrong) == 0 {
			whole++
			continue
		}
		t.Logf("%s: %d records, %d lost", h.file, len(theirs), len(r.lost))
		for _, l := range r.lost {
			t.Logf("\tlost %s", l)
		}
		for _, w := range r.wrong {
			t.Errorf("%s: %s", h.file, w)
		}
	}
	if own {
		require.Equal(t, len(list), whole, "all of them are read")
	}
	t.Logf("%d of %d headers whole; %d records agree, %d lost, %d wrong", whole, tried, same, lost, wrong)
	t.Logf("not compared: %d headers that clang does not compile, %d without records", refused, empty)
}

// A header is a file with the flags that it is read with.
type header struct {
	file  string
	lang  string
	flags []string
}

// headerList lists the headers of a folder, or those that a file lists.
func headerList(where string) ([]*header, error) {
	info, err := os.Stat(where)
	if err != nil {
		return nil, err
	}
	var list []*header
	if info.IsDir() {
		err := filepath.WalkDir(where, func(path string, _ fs.DirEntry, err error) error {
			switch filepath.Ext(path) {
			case ".h":
				list = append(list, &header{file: path, lang: "c"})
			case ".hpp", ".cuh", ".hh":
				list = append(list, &header{file: path, lang: "c++"})
			}
			return err
		})
		return list, err
	}
	data, err := os.ReadFile(where)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		h := &header{file: words[0], lang: "c"}
		for i := 1; i < len(words); i++ {
			if words[i] == "-x" && i+1 < len(words) {
				i++
				h.lang = words[i]
			} else {
				h.flags = append(h.flags, words[i])
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// linux are the macros that this package defines and clang for nvptx does not.
var linux = []string{"-D__linux__", "-D__unix__"}

var unnamedAt = regexp.MustCompile(`\((?:anonymous|unnamed)(?: struct| union| class| enum)? at (.*?)\)`)

// clang returns the blocks that clang prints for the records of a header, by name. A
// record without one has its place. With the first pass clang prints all records, but without
// attributes after the brace; with the second those that are asked for, as it uses them.
func (h *header) clang(path string) (map[string]string, bool) {
	run := func(dump, text string) (map[string]string, bool) {
		std := map[string]string{"c": "-std=gnu17", "c++": "-std=gnu++17"}[h.lang]
		args := slices.Concat([]string{"--target=nvptx64-nvidia-cuda", "-x", h.lang, std, "-w", "-nostdlibinc", "-fsyntax-only", "-ferror-limit=0", "-fno-access-control", "-Xclang", dump}, linux, h.flags)
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

// places are, down to a depth, a block without the types: where each member lies, how deep, and its name.
func places(block string, most int) string {
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
		if depth > most {
			continue
		}
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

// ofSystem takes the records of system headers away.
func (h *header) ofSystem(theirs map[string]string) {
	res, err := h.load()
	if err != nil {
		return
	}
	for _, d := range res.Unit.Records {
		if d.System {
			delete(theirs, recordHead(d))
		}
	}
}

// recordHead is the key of a record in what clang prints.
func recordHead(d *cdecl.RecordDecl) string {
	if d.Type.Name != "" {
		return d.Type.Kind.String() + " " + cxxName(d.Type.Name)
	}
	return "at " + d.Pos.String()
}

// A headerResult is what came of one header.
type headerResult struct {
	same        int
	lost, wrong []string
}

// load reads the header.
func (h *header) load() (*layoutcmd.Result, error) {
	o := layoutcmd.Options{Lang: h.lang, FS: anyFile{}, Partial: true, Producer: layout.Clang}
	for i := 0; i < len(h.flags); i++ {
		for flag, to := range map[string]*[]string{"-I": &o.Include, "-isystem": &o.System, "-D": &o.Defines, "-include": &o.First} {
			if v, ok := strings.CutPrefix(h.flags[i], flag); ok {
				if v == "" && i+1 < len(h.flags) {
					i++
					v = h.flags[i]
				} else if v == "" || flag == "-I" && strings.HasPrefix(h.flags[i], "-include") {
					continue
				}
				*to = append(*to, v)
				break
			}
		}
	}
	if h.lang == "c++" {
		o.Defines = append(o.Defines, "__NVCC__")
	}
	text, err := os.ReadFile(h.file)
	if err != nil {
		return nil, err
	}
	return layoutcmd.Load(h.file, text, o)
}

// compare reads the header and compares its records.
func (h *header) compare(theirs map[string]string, depth int) (out headerResult) {
	res, err := h.load()
	if err != nil {
		out.lost = append(out.lost, err.Error())
		return out
	}
	ours := map[string]string{}
	for _, d := range res.Unit.Records {
		if d.Layout != nil {
			ours[recordHead(d)] = d.Layout.Clang()
		}
	}
	var heads []string
	for head := range theirs {
		heads = append(heads, head)
	}
	slices.Sort(heads)
	for _, head := range heads {
		got, ok := ours[head]
		switch {
		case !ok && strings.HasPrefix(head, "at "):
			out.same++ // within another, or of a variable
		case !ok:
			out.lost = append(out.lost, head+why(res, head))
		case places(got, depth) == places(theirs[head], depth):
			out.same++
		default:
			out.wrong = append(out.wrong, fmt.Sprintf("%s: clang\n%s\nours%s", head, theirs[head], got))
		}
	}
	for _, e := range res.Errors {
		out.lost = append(out.lost, e.Error())
	}
	return out
}

// why is what was said of a record that was lost.
func why(res *layoutcmd.Result, head string) string {
	_, name, _ := strings.Cut(head, " ")
	for _, l := range res.Unit.Lost {
		if l.Name == name {
			return fmt.Sprintf(": %s: %s", l.Pos, l.Why)
		}
	}
	for _, r := range res.Unit.Records {
		if r.Name == name {
			return fmt.Sprintf(": %s: %s", r.Pos, r.Type.Unsupported)
		}
	}
	return ""
}

// anyFile are the files of the system.
type anyFile struct{}

func (anyFile) Open(name string) (fs.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, errors.New("is a folder")
	}
	return f, nil
}
