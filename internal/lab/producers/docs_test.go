package producers

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// A group is releases that were never seen to differ in what other modules see.
type group []*Recording

// outside reports whether a role is seen by other modules.
func outside(role string) bool { return !strings.Contains(role, "internal") }

func (g group) fits(r *Recording) bool {
	if r.Name != g[0].Name && (strings.HasPrefix(r.Name, "warp") || g[0].Name == "nvrtc-headers") { // two compilers, whose functions are inside
		return false
	}
	common := false
	for k, h := range r.Seen {
		if !outside(k.Role) {
			continue
		}
		for _, o := range g {
			for _, level := range o.Levels {
				other, ok := o.Seen[Key{k.Case, k.Role, level}]
				if ok && other.String() != h.String() {
					return false
				}
				common = common || ok
			}
		}
	}
	return common
}

// groups are in the order of their first recording.
func groups(all []*Recording) []group {
	var list []group
	for _, r := range all {
		if r.Name == "tilelang" { // kernels alone
			continue
		}
		if i := slices.IndexFunc(list, func(g group) bool { return g.fits(r) }); i >= 0 {
			list[i] = append(list[i], r)
		} else {
			list = append(list, group{r})
		}
	}
	return list
}

// String is "clang 17 to 22": the releases by their kinds.
func (g group) String() string {
	var parts []string
	for i := 0; i < len(g); {
		end := i
		for end < len(g) && g[end].Name == g[i].Name {
			end++
		}
		first, last := strings.TrimPrefix(g[i].Short(), g[i].Name+"-"), strings.TrimPrefix(g[end-1].Short(), g[i].Name+"-")
		switch end - i {
		case 1:
			parts = append(parts, g[i].Name+" "+first)
		case 2:
			parts = append(parts, g[i].Name+" "+first+" and "+last)
		default:
			parts = append(parts, g[i].Name+" "+first+" to "+last)
		}
		i = end
	}
	return strings.Join(parts, ", ")
}

// seen is what the first release that takes a case declares, at its last level.
func (g group) seen(name, role string) (Head, bool) {
	for _, r := range g {
		for _, level := range slices.Backward(r.Levels) {
			if h, ok := r.Seen[Key{name, role, level}]; ok {
				return h, true
			}
		}
	}
	return Head{}, false
}

// cell is what a group declares for a case.
func (g group) cell(name string) string {
	arg, okArg := g.seen(name, "argument define")
	res, okRes := g.seen(name, "result define")
	if name == "variadic" && !okArg { // Rust calls what it cannot define
		arg, okArg = g.seen(name, "argument declare")
	}
	if !okArg && !okRes { // Triton's and Warp's functions are all of one module
		arg, okArg = g.seen(name, "argument internal")
		res, okRes = g.seen(name, "result internal")
	}
	if _, ok := g.seen(name, string(KernelArgument)); !ok && !okArg && !okRes {
		for _, r := range g {
			for _, level := range r.Levels {
				if _, ok := r.Refused[Key{Case: name, Level: level}]; ok {
					return "refused"
				}
			}
		}
		return ""
	}
	own := g[0].Name == "numba-cuda" // the result goes to an address before all parameters
	before := 1
	if own {
		before = 2
	}
	a := "nothing"
	if len(arg.Params) > before {
		a = repeated(arg.Params[before:])
	}
	if name == "variadic" {
		return a + g.without(name)
	}
	if kernel, ok := g.seen(name, string(KernelArgument)); ok && strings.HasPrefix(name, "warp_tid") {
		return "`" + kernel.Params[0] + "` first, of kernels"
	}
	value, _ := g.seen("bytes_160", "argument define")
	if name != "int_ptr" && len(arg.Params) == 2 && arg.Params[1] == arg.Params[0] && len(res.Results) == 0 &&
		(len(value.Params) == 2 && value.Params[1] == arg.Params[1] || len(res.Params) == 2) {
		a = "address"
	}
	b := "nothing"
	switch {
	case own:
		b = "address"
	case len(res.Results) == 1:
		b = "`" + res.Results[0] + "`"
	case len(res.Params) == 2:
		b = "address"
	}
	if okRes && a != b {
		a += " → " + b
	}
	return a + g.without(name)
}

// without says which releases of a group refuse a case that others take.
func (g group) without(name string) string {
	refuses := func(r *Recording) bool { _, ok := r.Refused[Key{Case: name, Level: r.Levels[0]}]; return ok }
	var some []string
	for _, r := range g {
		if !refuses(r) {
			continue
		}
		text := strings.TrimPrefix(r.Short(), r.Name+"-")
		if g[0].Name != g[len(g)-1].Name { // a column of several compilers
			text = r.Name
			if slices.ContainsFunc(g, func(o *Recording) bool { return o.Name == r.Name && !refuses(o) }) {
				text += " " + strings.TrimPrefix(r.Short(), r.Name+"-")
			}
		}
		if !slices.Contains(some, text) {
			some = append(some, text)
		}
	}
	if some == nil {
		return ""
	}
	return "; refused by " + strings.Join(some, ", ")
}

// repeated lists parameters: "`.b32`, `.b8` × 3".
func repeated(list []string) string {
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && list[end] == list[i] {
			end++
		}
		text := "`" + list[i] + "`"
		if end-i > 1 {
			text += fmt.Sprintf(" × %d", end-i)
		}
		parts = append(parts, text)
		i = end
	}
	return strings.Join(parts, ", ")
}

// TestDocument holds the table of docs/producers.md, and those of testdata/tables.md, against the recordings.
func TestDocument(t *testing.T) {
	all := recordings(t)
	list := groups(all)
	type table struct {
		name string
		make func([]*Recording, []group) string
	}
	pairs := func(_ []*Recording, list []group) string { return pairsTable(t, list) }
	for file, tables := range map[string][]table{
		"../../../docs/producers.md": {{"measured", measuredTable}},
		"testdata/tables.md":         {{"matrix", matrixTable}, {"internal", internalTable}, {"pairs", pairs}},
	} {
		data := must.Read(t, file)
		text := string(data)
		for _, table := range tables {
			begin, end := "<!-- table: "+table.name+" -->\n", "<!-- end -->"
			head, rest, ok := strings.Cut(text, begin)
			require.True(t, ok, table.name)
			_, tail, ok := strings.Cut(rest, end)
			require.True(t, ok, table.name)
			text = head + begin + table.make(all, list) + end + tail
		}
		switch {
		case text == string(data):
		case golden.Update():
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		default:
			t.Errorf("%s is stale; PTXABI_UPDATE=1 rewrites it:\n%s", file, textdiff.Unified(string(data), text, file, "wanted"))
		}
	}
}

// TestLevels has that optimisation never changes what other modules see, as the document says.
func TestLevels(t *testing.T) {
	for _, r := range recordings(t) {
		for k, h := range r.Seen {
			for _, level := range r.Levels {
				if other, ok := r.Seen[Key{k.Case, k.Role, level}]; ok && outside(k.Role) {
					assert.Equal(t, h.String(), other.String(), "%s: %s, %s", r.Short(), k.Case, k.Role)
				}
			}
		}
	}
}

// measuredTable has a line for each compiler: names, releases and levels.
func measuredTable(all []*Recording, _ []group) string {
	var b strings.Builder
	b.WriteString("| names | releases | levels |\n|---|---|---|\n")
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Name == all[0].Name {
			n++
		}
		var names, releases []string
		for _, r := range all[:n] {
			names, releases = append(names, "`"+r.Short()+"`"), append(releases, r.Version)
		}
		if n > 2 {
			names = []string{names[0] + " … " + names[n-1]}
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(names, ", "), strings.Join(releases, ", "), strings.Join(all[0].Levels, "`, `"))
		all = all[n:]
	}
	return b.String()
}

// bytesOf finds the size of a type in its row.
var bytesOf = regexp.MustCompile(`\.b8\[(\d+)\]`)

// times finds how many parameters a value is.
var times = regexp.MustCompile(`× \d+`)

func matrixTable(_ []*Recording, all []group) string {
	var b strings.Builder
	for _, class := range Classes {
		list := slices.DeleteFunc(slices.Clone(all), func(g group) bool { // which has none of the class
			return !slices.ContainsFunc(Cases(), func(c Case) bool { return c.Class == class && g.cell(c.Name) != "" })
		})
		cases := slices.DeleteFunc(Cases(), func(c Case) bool { return c.Class != class })
		fmt.Fprintf(&b, "\n**%s**\n\n| type |", strings.ToUpper(class[:1])+class[1:])
		type column struct {
			group
			cells []string
		}
		var columns []column
		for _, g := range list {
			var cells []string
			for _, c := range cases {
				cells = append(cells, g.cell(c.Name))
			}
			if i := slices.IndexFunc(columns, func(o column) bool { return slices.Equal(o.cells, cells) }); i >= 0 {
				columns[i].group = slices.Concat(columns[i].group, g)
			} else {
				columns = append(columns, column{g, cells})
			}
		}
		for _, c := range columns {
			b.WriteString(" " + c.String() + " |")
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
		rows, types := []string(nil), make(map[string][]string) // types with the same cells are one row
		for i, c := range cases {
			row := ""
			for _, column := range columns {
				row += " " + column.cells[i] + " |"
			}
			if size := bytesOf.FindStringSubmatch(row); size != nil && c.Warp == "" { // of Warp's types the size is not plain
				row = strings.ReplaceAll(row, ".b8["+size[1]+"]", ".b8[n]")
			}
			if many := times.FindAllString(row, -1); len(slices.Compact(many)) == 1 {
				row = times.ReplaceAllString(row, "× m")
			}
			if types[row] == nil {
				rows = append(rows, row)
			}
			types[row] = append(types[row], "`"+shown(c)+"`")
		}
		for _, row := range rows {
			b.WriteString("| " + strings.Join(types[row], ", ") + " |" + row + "\n")
		}
	}
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

// shown is the type as readers know it.
func shown(c Case) string {
	switch dims, launch := strings.CutPrefix(c.Warp, "tid "); {
	case launch:
		return "launch over " + dims + map[bool]string{true: " dimension", false: " dimensions"}[dims == "1"]
	case c.Warp != "":
		return c.Warp
	case c.Name == "variadic":
		return "f(int *, ...)"
	case c.Decl == "":
		return strings.Replace(c.Type, "BOOL", "bool", 1)
	case strings.HasPrefix(c.Name, "enum"), c.Class == "C++ classes":
		return c.Name
	case strings.HasPrefix(c.Decl, "typedef"):
		return strings.NewReplacer("typedef ", "", c.Name+" ", "", "__attribute__((", "", "));", "").Replace(c.Decl)
	}
	return strings.NewReplacer("__attribute__((", "", ")) "+c.Name, "", " "+c.Name, "", "BOOL", "bool", "};", "}").Replace(c.Decl)
}

func internalTable(all []*Recording, _ []group) string {
	var b strings.Builder
	b.WriteString("| release | argument, unoptimised | optimised | result, unoptimised | optimised |\n|---|---|---|---|---|\n")
	for _, r := range all {
		_, inside := r.Seen[Key{"int", "argument internal", r.Levels[0]}]
		if _, outside := r.Seen[Key{"int", "argument define", r.Levels[0]}]; !inside || !outside { // numba; Triton and Warp
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", r.Short())
		for _, what := range []string{"argument", "result"} {
			for _, level := range r.Levels {
				n, of := 0, 0
				for _, c := range Cases() {
					in, ok := r.Seen[Key{c.Name, what + " internal", level}]
					out, has := r.Seen[Key{c.Name, what + " define", level}]
					if ok && has {
						of++
						if in.String() != out.String() {
							n++
						}
					}
				}
				fmt.Fprintf(&b, " %d of %d |", n, of)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// module is a definition or a call of a function of a signature.
func module(t *testing.T, h Head, defined bool) *ptx.Module {
	t.Helper()
	named := func(list []string, letter string) string {
		var all []string
		for i, f := range list {
			form, dims, _ := strings.Cut(f, "[")
			if dims != "" {
				dims = "[" + dims
			}
			if strings.HasPrefix(f, ".reg") {
				t.Fatalf("%s", f)
			}
			all = append(all, fmt.Sprintf(".param %s %s%d%s", form, letter, i, dims))
		}
		return strings.Join(all, ", ")
	}
	text := "f(" + named(h.Params, "p") + ")"
	if len(h.Results) > 0 {
		text = "(" + named(h.Results, "r") + ") " + text
	}
	head := ".version 7.8\n.target sm_75\n.address_size 64\n"
	if defined {
		text = head + ".visible .func " + text + " { ret; }\n"
	} else {
		text = head + ".extern .func " + text + ";\n.visible .func user() { .reg .b64 %p; mov.u64 %p, f; ret; }\n"
	}
	m, err := ptx.ParseString("k.ptx", text)
	require.NoError(t, err, text)
	return m
}

// outcome is what comes of a caller and a callee: "", "refused" or "silent". Whether a value
// lies elsewhere depends on what stands before it: the function is tried as it is, and with
// a word, a byte, and bytes on the stack before.
func outcome(t *testing.T, caller, callee Head) string {
	t.Helper()
	if caller.String() == callee.String() {
		return ""
	}
	for _, before := range [][]string{nil, {".b32"}, {".align 1 .b8[1]"}, {".align 1 .b8[129]"}, {".b64", ".align 16 .b8[64]", ".align 1 .b8[5]"}} {
		a, b := caller, callee
		if len(before) > 0 {
			a.Params, b.Params = slices.Concat(before, a.Params[1:]), slices.Concat(before, b.Params[1:])
		}
		for _, d := range check.Link([]*ptx.Module{module(t, a, false), module(t, b, true)}) {
			switch {
			case d.Code == check.SilentMismatch:
				return "silent"
			case d.Severity == diag.Error:
				return "refused"
			}
		}
	}
	return ""
}

func pairsTable(t *testing.T, list []group) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| between | refused | silent |\n|---|---|---|\n")
	list = slices.DeleteFunc(slices.Clone(list), func(g group) bool {
		return slices.Contains([]string{"numba-cuda", "numba-cuda-c", "numba-cuda-mlir", "triton", "warp", "warp-llvm", "nvrtc-headers"}, g[0].Name)
	})
	type pair struct {
		group
		row string
	}
	var between []pair
	rows := make(map[string]int)
	for i, g := range list {
		for _, h := range list[i+1:] {
			of := make(map[string][]string, 2) // for each outcome, what has it of each type: "", argument, result or both
			names := []string(nil)
			for _, c := range Cases() {
				state := make(map[string]string, 2)
				for _, what := range []string{"argument", "result"} {
					a, ok := g.seen(c.Name, what+" declare")
					d, has := h.seen(c.Name, what+" define")
					if !ok || !has {
						continue
					}
					if state["of"] == "" {
						state["of"] = "a type"
						names = append(names, "`"+c.Name+"`")
					}
					if o := outcome(t, a, d); state[o] != "" {
						state[o] = "both"
					} else {
						state[o] = what
					}
				}
				if state["of"] != "" {
					of["refused"], of["silent"] = append(of["refused"], state["refused"]), append(of["silent"], state["silent"])
				}
			}
			line := func(o string) string {
				var those, others [3][]string // both ways, as arguments alone, as results alone
				n := 0
				for i, name := range names {
					switch of[o][i] {
					case "":
						others[0] = append(others[0], name)
						continue
					case "both":
						those[0] = append(those[0], name)
					case "argument":
						those[1], others[2] = append(those[1], name), append(others[2], name)
					case "result":
						those[2], others[1] = append(those[2], name), append(others[1], name)
					}
					n++
				}
				list := func(l [3][]string) string {
					var parts []string
					for i, what := range []string{"", "as arguments ", "as results "} {
						if len(l[i]) > 0 {
							parts = append(parts, what+strings.Join(l[i], ", "))
						}
					}
					return strings.Join(parts, "; ")
				}
				count := func(l [3][]string) int { return len(l[0]) + len(l[1]) + len(l[2]) }
				switch {
				case n == 0:
					return "none"
				case count(others) < count(those):
					return fmt.Sprintf("%d of %d, all but %s", n, len(names), list(others))
				}
				return fmt.Sprintf("%d of %d: %s", n, len(names), list(those))
			}
			row := fmt.Sprintf("%s | %s | %s |\n", h, line("refused"), line("silent"))
			if i, ok := rows[row]; ok { // with one that another group has with it, too
				between[i].group = slices.Concat(between[i].group, g)
				continue
			}
			rows[row] = len(between)
			between = append(between, pair{g, row})
		}
	}
	for _, p := range between {
		b.WriteString("| " + p.String() + "; " + p.row)
	}
	return b.String()
}
