package link_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// execute lowers a module with a kernel k and one with the function that it calls, by itself, and returns the words that
// the function returns in registers. An error is of an access that is misaligned, among others. With at, the memory for a
// result lies at that offset of the kernel's frame.
func execute(t *testing.T, caller, definition string, at int64) (words []uint32, err error) {
	t.Helper()
	const stackTop = 4096
	target := must.Target(t, "sm_80")
	prog := &sass.Program{Target: target.Name}
	contract := sim.Contract{}
	for _, text := range []string{caller, definition} {
		m := parsed(t, "x.ptx", text)
		p, err := lower.Module(m, target, lower.Options{})
		require.NoError(t, err)
		prog.Funcs = append(prog.Funcs, p.Funcs...)
		for _, f := range resolve.Functions(m) {
			if f.Name == "k" {
				continue
			}
			a, list := f.Assign(target) // at last that of the definition
			require.Empty(t, list)
			contract = sim.ContractOf(target, &a)
			contract.Align, contract.SretAlign = 0, 0 // which accesses show
		}
	}
	if at > 0 {
		moved := 0
		for i := range prog.Funcs[0].Items {
			if in := &prog.Funcs[0].Items[i].Instr; in.Note == "address of the result" {
				in.Args[2].Off, moved = at, moved+1
			}
		}
		require.Equal(t, 1, moved)
	}
	conf := sim.Around(target, stackTop)
	conf.Bank = func(bank uint8, off int64) sim.Byte {
		if i := int(off) - target.Kernel.SP.Off; bank == target.Kernel.SP.Bank && i >= 0 && i < 4 {
			return sim.Number(stackTop)[i]
		}
		return sim.Number(0)[off%4]
	}
	conf.Callee = func(string) (sim.Contract, error) { return contract, nil }
	conf.Text = func(*sim.Machine, string) (string, error) { return "", nil }
	conf.Returned = func(m *sim.Machine, _ string) error {
		for r := range contract.Results.All() {
			v, _ := m.Reg(r).Value()
			words = append(words, v)
		}
		return nil
	}
	m, err := sim.New(prog, conf)
	require.NoError(t, err)
	return words, m.Run("k")
}

// TestWrongBytes executes the example of docs/link.md, which the linkers take: the
// function returns the third word of what it is given for the first.
func TestWrongBytes(t *testing.T) {
	const folder = "../../../examples/link/"
	main := must.Read(t, folder+"main.ptx")
	first := must.Read(t, folder+"first.ptx")
	equal := strings.Replace(string(first), ".align 16 .b8 p", ".align 8 .b8 p", 1)
	for _, tt := range []struct {
		definition string
		want       uint32
		diags      []diag.Code
	}{{string(first), 12, []diag.Code{check.SilentMismatch}}, {equal, 10, nil}} {
		got, err := execute(t, string(main), tt.definition, 0)
		require.NoError(t, err)
		assert.Equal(t, []uint32{tt.want}, got)
		var codes []diag.Code
		for _, d := range verdicts(t, string(main), tt.definition) {
			codes = append(codes, d.Code)
		}
		assert.Equal(t, tt.diags, codes)
	}
}

// verdicts are the diagnostics of modules that are linked in this order.
func verdicts(t *testing.T, texts ...string) diag.List {
	t.Helper()
	var set link.Set
	for i, text := range texts {
		name := fmt.Sprintf("%d.ptx", i)
		set.AddPTX(link.Place{Name: name, File: name}, parsed(t, name, text))
	}
	return set.Report("").Diags
}

// A shape is a function whose one value is declared with two alignments: the last parameter or, without parameters before it,
// a result in memory.
type shape struct {
	name   string
	before string // parameters
	size   int
	result bool
}

var shapes = []shape{
	{"in registers after a word", ".param .b32 x, ", 8, false},
	{"in registers", "", 16, false},
	{"on the stack at 0", ".param .align 8 .b8 p[48], ", 40, false},
	{"on the stack at 0, of 48 bytes", ".param .align 8 .b8 p[48], ", 48, false},
	{"on the stack at 4", ".param .align 16 .b8 p[48], .param .b32 x, ", 32, false},
	{"on the stack at 40", ".param .align 4 .b8 p[52], .param .align 8 .b8 q[40], ", 40, false},
	{"the result", ".param .align 16 .b8 x[16]", 64, true},
}

const alignHead = ".version 7.0\n.target sm_80\n.address_size 64\n"

// head is a declaration of f with an alignment.
func (s *shape) head(align int) string {
	if s.result {
		return fmt.Sprintf(".func (.param .align %d .b8 v[%d]) f (%s)", align, s.size, s.before)
	}
	return fmt.Sprintf(".func (.param .align 4 .b8 r[%d]) f (%s.param .align %d .b8 v[%d])", s.size, s.before, align, s.size)
}

// definition is f, with the widest accesses to the value that its alignment allows: it returns a parameter, and stores a result.
func (s *shape) definition(align int) string {
	var b strings.Builder
	for off, n := 0, 0; off < s.size; off += n {
		for n = min(align, 16); off+n > s.size; n /= 2 {
		}
		typ, regs := fmt.Sprintf("b%d", 8*min(n, 4)), []string{"%r0", "%r1", "%r2", "%r3"}[:max(n/4, 1)]
		list := regs[0]
		if n > 4 {
			typ, list = fmt.Sprintf("v%d.b32", n/4), "{"+strings.Join(regs, ", ")+"}"
		}
		if s.result {
			fmt.Fprintf(&b, "\tld.param.%s %s, [x];\n\tst.param.%[1]s [v+%[3]d], %[2]s;\n", typ, list, off)
			continue
		}
		fmt.Fprintf(&b, "\tld.param.%s %s, [v+%d];\n", typ, list, off)
		for i, r := range regs {
			fmt.Fprintf(&b, "\tst.param.b%d [r+%d], %s;\n", 8*min(n, 4), off+4*i, r)
		}
	}
	return alignHead + ".visible " + s.head(align) + "\n{\n\t.reg .b32 %r<4>;\n" + b.String() + "\tret;\n}\n"
}

// caller is a kernel that passes 1, 2, 3 and so on as the bytes of the parameter, or has the result after a variable of the
// same alignment and two times the bytes. With odd, its frame has 8 bytes more, or that variable half.
func (s *shape) caller(align int, odd bool) string {
	var b strings.Builder
	b.WriteString(alignHead + ".extern " + s.head(align) + ";\n.visible .entry k (.param .b64 out)\n{\n\t.reg .b64 %d;\n\t.reg .b16 %h;\n\tld.param.b64 %d, [out];\n")
	var names []string
	if s.result || odd {
		pad := []int{8, 8}
		if s.result {
			pad = []int{align, map[bool]int{false: 2 * align, true: align}[odd]}
		}
		fmt.Fprintf(&b, "\t.local .align %d .b8 pad[%d];\n\t.reg .b32 %%p;\n\tmov.b32 %%p, pad;\n\tst.global.b32 [%%d], %%p;\n", pad[0], pad[1])
	}
	b.WriteString("\t{\n")
	for _, one := range regexp.MustCompile(`[^,(]*?(\w+)(\[\d+\])?(, |$)`).FindAllStringSubmatch(s.before, -1) {
		b.WriteString("\t" + strings.TrimSuffix(one[0], ", ") + ";\n")
		if names = append(names, one[1]); one[1] == "x" {
			fmt.Fprintf(&b, "\tst.param.b32 [x], %s;\n", map[bool]string{true: "%p", false: "7"}[s.result])
		}
	}
	fmt.Fprintf(&b, "\t.param .align %d .b8 v[%d];\n", align, s.size)
	if s.result {
		fmt.Fprintf(&b, "\tcall (v), f, (x);\n\tld.param.b8 %%h, [v];\n\tst.global.b8 [%%d], %%h;\n")
	} else {
		for i := range s.size {
			fmt.Fprintf(&b, "\tst.param.b8 [v+%d], %d;\n", i, i+1)
		}
		fmt.Fprintf(&b, "\t.param .align 4 .b8 r[%d];\n\tcall (r), f, (%s);\n", s.size, strings.Join(append(names, "v"), ", "))
		for i := range s.size {
			fmt.Fprintf(&b, "\tld.param.b8 %%h, [r+%d];\n\tst.global.b8 [%%d+%[1]d], %%h;\n", i)
		}
	}
	return b.String() + "\t}\n\tret;\n}\n"
}

// alignRows is the table in docs/link.md.
var alignRows = []struct{ value, caller, definition, severity string }{
	{"in another register, or at another stack offset", "anything", "anything", "error"},
	{"in the same register", "anything", "anything", "warning"},
	{"on the stack", "anything", "at most 8, or at most the caller's", "warning"},
	{"on the stack", "less than the definition", "more than 8", "error"},
	{"result in memory", "at least the definition's", "anything", "warning"},
	{"result in memory", "less than the definition", "more", "error"},
}

// row returns the row of a shape with two alignments, whose value moves or not.
func (s *shape) row(moved bool, caller, definition int) int {
	switch {
	case moved:
		return 0
	case s.result && caller < definition:
		return 5
	case s.result:
		return 4
	case !strings.Contains(s.name, "stack"):
		return 1
	case definition > max(caller, 8):
		return 3
	}
	return 2
}

// TestAlignments holds the table of docs/link.md, what link reports, and what happens against each other: each shape is
// lowered with every two alignments and executed, with a stack pointer that is a multiple of 16 and one of 8 alone. A pair is an
// error where the function gets other bytes, or an access is misaligned. Where there is an assembler, its caller is
// compared with what the definition expects, and its objects are linked.
func TestAlignments(t *testing.T) {
	doc := must.Read(t, "../../../docs/link.md")
	table := "| value | caller declares | definition has | severity |\n|---|---|---|---|\n"
	for _, r := range alignRows {
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", r.value, r.caller, r.definition, r.severity)
	}
	assert.Contains(t, string(doc), table)
	tools, err := oracle.Find()
	require.NoError(t, err)
	kits := tools.Toolkits
	if len(kits) > 2 { // the earliest and the latest
		kits = []*oracle.Toolkit{kits[0], kits[len(kits)-1]}
	}
	if !effort.Long() {
		kits = nil
	}
	done := map[string]assembly{}
	counts := make([]int, len(alignRows))
	for _, s := range shapes {
		for _, c := range []int{1, 2, 4, 8, 16} {
			for _, d := range []int{1, 2, 4, 8, 16} {
				if c == d {
					continue
				}
				what := fmt.Sprintf("%s: %d for the caller, %d in the definition", s.name, c, d)
				caller, definition := s.caller(c, false), s.definition(d)
				wrong, moved := false, false
				at := map[bool]int64{true: int64(c)}[s.result] // which is no multiple of more, as the stack pointer and the frame are of 8
				for _, odd := range []bool{false, !s.result} {
					words, err := execute(t, s.caller(c, odd), definition, at)
					if err != nil {
						assert.Regexp(t, "misaligned$|the frame has no room for the", err.Error(), what)
						wrong, moved = true, moved || !strings.HasSuffix(err.Error(), "misaligned")
					}
					for i, w := range words {
						if b := uint32(4*i + 1); w != b|(b+1)<<8|(b+2)<<16|(b+3)<<24 {
							wrong, moved = true, true
						}
					}
				}
				row := s.row(moved, c, d)
				counts[row]++
				assert.Equal(t, wrong, alignRows[row].severity == "error", "%s: %s", what, alignRows[row].value)
				list := verdicts(t, caller, definition)
				if assert.Len(t, list, 1, what) {
					assert.Equal(t, alignRows[row].severity, list[0].Severity.String(), "%s: %v", what, list)
				}
				for _, kit := range kits {
					s.assembled(t, kit, done, what, c, d, wrong)
				}
			}
		}
	}
	t.Logf("pairs of each row: %v", counts)
	assert.NotContains(t, counts, 0)
}

// An assembly is what an assembler makes of a text: the file of its object, and its listing.
type assembly struct{ file, listing string }

// assembled does it with an assembler's code, of which done has what was made. Where wrong, its caller does not do what the
// definition expects.
func (s *shape) assembled(t *testing.T, kit *oracle.Toolkit, done map[string]assembly, what string, c, d int, wrong bool) {
	t.Helper()
	target := must.Target(t, "sm_80")
	made := func(text string) assembly {
		key := kit.Ptxas + text
		if _, ok := done[key]; !ok {
			cubin, err := kit.Assemble(t.Context(), text, target.Name)
			require.NoError(t, err, what)
			listing, err := kit.Disassemble(t.Context(), cubin, target.Name)
			require.NoError(t, err, what)
			file := fmt.Sprintf("%s/%d.cubin", t.TempDir(), len(done))
			require.NoError(t, os.WriteFile(file, cubin, 0o600))
			done[key] = assembly{file, listing}
		}
		return done[key]
	}
	number := func(pattern, listing string, base int) int64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(listing)
		require.NotNil(t, m, "%s: %s\n%s", what, pattern, listing)
		n, err := strconv.ParseInt(m[1], base, 0)
		require.NoError(t, err)
		return n
	}
	caller, odd, definition := made(s.caller(c, false)), made(s.caller(c, true)), made(s.definition(d))
	r, err := lowertest.Compare([]byte(s.caller(d, false)), caller.listing, target)
	require.NoError(t, err, what)
	amiss := len(r.Differences) > 0
	base, access := `IADD3 R1, R1, -0x([0-9a-f]+)`, `LDL\.(128) \S+ \[R1`
	if s.result {
		base, access = `IADD3 R4, R1, (?:RZ, )?0x([0-9a-f]+)`, `STL\.U?(8|16|64|128) \[R4`
	}
	if regexp.MustCompile(access).MatchString(definition.listing) {
		n := number(access, definition.listing, 10) / 8
		amiss = amiss || number(base, caller.listing, 16)%n != 0 || number(base, odd.listing, 16)%n != 0
	} else if s.result { // words
		amiss = amiss || number(base, odd.listing, 16)%4 != 0
	}
	assert.Equal(t, wrong, amiss, "%s, %s: %v", kit, what, r.Differences)
	if kit.Nvlink != "" {
		out, err := exec.Command(kit.Nvlink, "-arch", target.Name, caller.file, definition.file, "-o", definition.file+".out").CombinedOutput()
		assert.NoError(t, err, "%s, %s: %s", kit, what, out)
	}
}
