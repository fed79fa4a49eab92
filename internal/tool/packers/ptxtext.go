package packers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/arrival"
	"github.com/ptxabi/ptxabi/layout"
)

// maxTexts bounds how many registers a text loads a field into. Of longer
// arrays it loads one element.
const maxTexts = 16

// Texts are the constants that say a type in PTX.
func (r *record) Texts() []constantValue {
	arg := r.passed().ParamOf(layout.NVCC, layout.Argument, "%s")
	entry := r.passed().ParamOf(layout.NVCC, layout.KernelArgument, "%s")
	of := "of a function's parameter"
	if arg.Indirect {
		of = "of a function's parameter, which is the address"
	}
	out := []constantValue{
		{Name: r.Name + "Decl", Value: strconv.Quote(arg.String()), Comment: of},
		{Name: r.Name + "EntryDecl", Value: strconv.Quote(entry.String()), Comment: "of a kernel's parameter"},
	}
	names := nameSet{}
	for f := range r.passed().Fields() {
		name, ok := pathName(f.Path)
		if !ok {
			continue
		}
		if text := loadText(r.passed(), &f); text != "" {
			out = append(out, constantValue{Name: names.take(r.Name + "Load" + name), Value: strconv.Quote(text)})
		}
	}
	return out
}

// pathName makes a name of the path of a field. Elements of arrays of records
// have none, and neither have fields without a name.
func pathName(path string) (string, bool) {
	if strings.Contains(path, "[") {
		return "", false
	}
	var parts []string
	for p := range strings.SplitSeq(path, ".") {
		if strings.Trim(p, "_") == "" {
			return "", false
		}
		if upperFirst(p) == p && !strings.ContainsAny(p, "_$") {
			parts = append(parts, p)
		} else {
			parts = append(parts, goName(p))
		}
	}
	return strings.Join(parts, "_"), true
}

// loadText is how a field is loaded; "" if it has no bytes.
func loadText(l *layout.Layout, f *layout.Leaf) string {
	a := l.Loads(f, 0)
	if a.Size == 0 || a.Count == 0 {
		return ""
	}
	if a.Count > maxTexts {
		return fmt.Sprintf("ld.param%s %%[2]s, [%%[1]s+%%[3]d];", a.Type)
	}
	var lines []string
	reg := 2
	for off, left := a.Off, a.Count; left > 0; {
		n := int64(1)
		for k := int64(4); k >= 2 && a.Width == 0 && !a.Piece; k /= 2 {
			if size := k * a.Size; k <= left && size <= 16 && size <= l.Align && off%size == 0 {
				n = k
				break
			}
		}
		lines = append(lines, fmt.Sprintf("ld.param%s, [%%[1]s+%d];", vectorOf(n, a.Type, reg), off))
		reg, off, left = reg+int(n), off+n*a.Size, left-n
	}
	s, ok := layout.Unalias(f.Type).(layout.Scalar)
	lines = append(lines, extract(&a, ok && s.Signed(), "%[2]s")...)
	return strings.Join(lines, "\n")
}

// vectorOf is a type, and its registers from one on, of n values.
func vectorOf(n int64, typ string, first int) string {
	if n == 1 {
		return fmt.Sprintf("%s %%[%d]s", typ, first)
	}
	var names []string
	for i := range int(n) {
		names = append(names, fmt.Sprintf("%%[%d]s", first+i))
	}
	return fmt.Sprintf(".v%d%s {%s}", n, typ, strings.Join(names, ", "))
}

// extract takes a bit-field out of the register that was loaded, unless it is all that was loaded, which is without a sign.
func extract(a *layout.Access, signed bool, reg string) []string {
	if a.Width == 0 || a.Piece || a.Size*8 == a.Width && (!signed || a.Size >= 4) {
		return nil
	}
	kind := "u"
	if signed {
		kind = "s"
	}
	return []string{fmt.Sprintf("bfe.%s%d %s, %s, %d, %d;", kind, max(a.Size, 4)*8, reg, reg, a.Shift, a.Width)}
}

// skeleton is a module that loads every field of every type in a function of
// its own, and has every kernel with an empty body.
func (u *unit) skeleton(target string) []byte {
	version := "6.0"
	least := "sm_50"
	for _, k := range u.kernels {
		// Large parameters came with PTX 8.1, and those of 128 bits with 8.3.
		switch {
		case strings.Contains(k.Decl(), " .b128 "):
			version, least = "8.3", "sm_70"
		case k.Size > 4352:
			version, least = max(version, "8.1"), "sm_70"
		}
	}
	target = "sm_" + strings.TrimPrefix(strings.TrimPrefix(cmp.Or(target, least), "sm_"), "compute_")
	version = max(version, versionOf(target))
	names := nameSet{}
	var kernels, functions []map[string]any
	for _, k := range u.kernels {
		name := ptxName(k.Name)
		names[name] = true // an entry keeps its name
		var params []string
		for i, p := range k.Params {
			params = append(params, fmt.Sprintf(p.decl, fmt.Sprintf("%s_param_%d", name, i)))
		}
		kernels = append(kernels, map[string]any{"Name": name, "Params": params})
	}
	for _, r := range u.records {
		arg := r.passed().ParamOf(layout.NVCC, layout.Argument, ptxName(r.cname))
		// Two records may have one name: x in struct S, and Sx.
		functions = append(functions, map[string]any{"Name": names.take("load_" + arg.Name), "Param": arg, "Loads": r.loads(arg)})
	}
	return []byte(rendered("skeleton.ptx.tmpl", nil, map[string]any{
		"First": strings.TrimSuffix(firstLine, "\n"), "Version": version, "Target": target, "Functions": functions, "Kernels": kernels,
	}))
}

// versionOf returns the version of PTX for a target; that of sm_70 for older ones, and where it is not known.
func versionOf(target string) string {
	if t := arrival.Of(target); t != nil && t.Major >= 6 {
		return fmt.Sprintf("%d.%d", t.Major, t.Minor)
	}
	return "6.0"
}

// registerNames are the names of registers by the type that a load leaves in
// them.
var registerNames = []struct{ typ, name, loads string }{
	{".b16", "%rs", ".b16"}, {".b32", "%r", ".u32 .s32 .b32"}, {".b64", "%rd", ".u64 .s64 .b64"}, {".f32", "%f", ".f32"}, {".f64", "%fd", ".f64"},
}

// loads writes the loads of all fields into registers of their own: from the
// parameter, or from where the address that it is leads to. A bit-field is taken out
// of its register, but one that lies in several bytes that no aligned load has is
// left as those.
func (r *record) loads(arg layout.Param) string {
	counts := make([]int, len(registerNames))
	signed := map[[2]int64]bool{} // bit-fields, by their first bit and width
	for f := range r.Layout.Fields() {
		if s, ok := layout.Unalias(f.Type).(layout.Scalar); ok && f.BitWidth > 0 && s.Signed() {
			signed[[2]int64{f.Start(), f.BitWidth}] = true
		}
	}
	kindOf := func(typ string) int {
		return slices.IndexFunc(registerNames, func(n struct{ typ, name, loads string }) bool {
			return slices.Contains(strings.Fields(n.loads), typ)
		})
	}
	var body strings.Builder
	load, base := "ld.param", arg.Name
	if kind := kindOf(arg.Type); arg.Indirect {
		load, base = "ld", fmt.Sprintf("%s%d", registerNames[kind].name, counts[kind])
		counts[kind]++
		fmt.Fprintf(&body, "\tld.param%s %s, [%s];\n", arg.Type, base, arg.Name)
	}
	for a := range r.passed().Groups(0) {
		kind := kindOf(a.Reg)
		for i := range a.Count {
			off := a.Off + i*a.Size
			count := 1
			if strings.HasPrefix(a.Type, ".v") {
				count = int(a.Type[2] - '0')
			}
			var regs []string
			for range count {
				regs = append(regs, fmt.Sprintf("%s%d", registerNames[kind].name, counts[kind]))
				counts[kind]++
			}
			text := regs[0]
			if count > 1 {
				text = "{" + strings.Join(regs, ", ") + "}"
			}
			fmt.Fprintf(&body, "\t%s%s %s, [%s+%d];\n", load, a.Type, text, base, off)
			for _, line := range extract(&a, signed[[2]int64{a.Off*8 + a.Shift, a.Width}], text) {
				fmt.Fprintf(&body, "\t%s\n", line)
			}
		}
	}
	registers := ""
	for i, n := range counts {
		if n > 0 {
			registers += fmt.Sprintf("\t.reg %s %s<%d>;\n", registerNames[i].typ, registerNames[i].name, n)
		}
	}
	return registers + body.String()
}

// ptxName makes a name that PTX can have.
func ptxName(name string) string {
	return underscored(name, func(r rune) bool { return r == '$' || r < 0x80 && isLetterOrDigit(r) })
}
