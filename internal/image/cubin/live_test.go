package cubin_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// TestAgainstCuobjdump assembles modules with each toolkit that is found and
// compares what is read here with the text of its cuobjdump -elf: architecture,
// parameters, register counts, frames, all records by name, all relocations,
// the register rules of unwind tables.
func TestAgainstCuobjdump(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	ran := 0
	for _, tk := range tools.Toolkits {
		if tk.Cuobjdump == "" {
			t.Logf("%v has no cuobjdump beside it", tk)
			continue
		}
		targets := tk.Targets
		if testing.Short() {
			targets = slices.Clone(targets)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
			targets = targets[:min(3, len(targets))]
		}
		for i, target := range targets {
			ran++
			t.Run(fmt.Sprintf("%v/%s", tk.Version, target), func(t *testing.T) { against(t, tk, target, uint64(i)) })
		}
	}
	if ran == 0 {
		t.Skip(oracle.NotFound)
	}
	t.Logf("%d pairs of toolkit and architecture compared", ran)
}

func against(t *testing.T, tk *oracle.Toolkit, target string, seed uint64) {
	module := string(read(t, filepath.Join("testdata", "module.ptx")))
	for _, m := range []struct {
		ptx     string
		options []string
	}{
		{module, []string{"-c"}},
		{module, []string{"-c", "-O0"}},
		{module, []string{"-c", "-O0", "-g"}},
		{string(read(t, filepath.Join("testdata", "handles.ptx"))), []string{"-c"}},
		{kernels(rand.New(rand.NewPCG(seed, 7))), nil},
	} {
		head := fmt.Sprintf(".version %d.%d\n.target %s\n.address_size 64\n", tk.PTX.Major, tk.PTX.Minor, target)
		data, err := tk.Assemble(t.Context(), head+m.ptx, target, m.options...)
		require.NoError(t, err)
		f, err := cubin.Open(data)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "x.cubin")
		require.NoError(t, os.WriteFile(path, data, 0o666))
		text, err := exec.CommandContext(t.Context(), tk.Cuobjdump, "-elf", path).Output()
		if err != nil && slices.Contains(m.options, "-g") {
			// That of 13.5 does not read the line tables of its own -g.
			t.Logf("%v: cuobjdump: %v; not compared", m.options, err)
			continue
		}
		require.NoError(t, err)
		out := string(text)
		want := theirs(out)
		require.Greater(t, len(want), 10, "the text has what is looked for")
		// Some cuobjdumps stop inside an unwind table that they cannot read.
		got, whole := ours(t, f), strings.Contains(out, ".debug_frame\n") && !strings.Contains(out, "Unrecognized")
		if !whole {
			got, want = without(got, "unwind "), without(want, "unwind ")
		}
		assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), "%v", m.options)
	}
}

// kernels are kernels with random parameters.
func kernels(rng *rand.Rand) string {
	var b strings.Builder
	for k := range 8 {
		fmt.Fprintf(&b, ".visible .entry k%d (", k)
		for p := range rng.IntN(12) {
			if p > 0 {
				b.WriteString(", ")
			}
			if rng.IntN(2) == 0 {
				fmt.Fprintf(&b, ".param .%s p%d", []string{"u8", "s16", "b32", "f32", "u64", "f64"}[rng.IntN(6)], p)
				continue
			}
			fmt.Fprintf(&b, ".param .align %d .b8 p%d[%d]", 1<<rng.IntN(8), p, 1+rng.IntN(40))
		}
		b.WriteString(") { ret; }\n")
	}
	return b.String()
}

func without(lines []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return strings.HasPrefix(s, prefix) })
}

var (
	theirHead   = regexp.MustCompile(`^(32|64)-?bit (?:elf|ELF):.* sm=(\w+), toolkit=([0-9.]+),`)
	theirParam  = regexp.MustCompile(`Ordinal : 0x(\w+)\s+Offset\s+: 0x(\w+)\s+Size\s+: 0x(\w+)`)
	theirTarget = regexp.MustCompile(`Pointee's logAlignment : 0x(\w+)\s+Space : 0x(\w+)`)
	theirCount  = regexp.MustCompile(`function: (\S+)\(0x\w+\)\s+(register count|frame size|min stack size): (?:0x)?(\w+)`)
	theirReloc  = regexp.MustCompile(`^0x(\w+)\s+(?:(\S+)\s+)?(R_\S+)(?:\s+0x(\w+))?\s*$`)
	theirRule   = regexp.MustCompile(`^\s+DW_CFA_(same_value|undefined)\s+(\S+)$`)
	theirReturn = regexp.MustCompile(`^\s+return address register (\S+)$`)
	theirFDE    = regexp.MustCompile(`^\s+function:\s+(\S+)$`)
)

// theirs are the facts of cuobjdump's text, one a line.
func theirs(text string) []string {
	var facts []string
	say := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	section, relocs := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, ".section "):
			words := strings.Fields(line)
			section, relocs = words[1], len(words) == 3
		case strings.HasPrefix(line, ".nv"), strings.HasPrefix(line, ".text"):
			section, relocs = line, false
		}
		switch {
		case section == ".debug_frame":
			for re, word := range map[*regexp.Regexp]string{theirReturn: "return", theirFDE: "function"} {
				if m := re.FindStringSubmatch(line); m != nil {
					say("unwind %s %s", word, m[1])
				}
			}
			if m := theirRule.FindStringSubmatch(line); m != nil {
				say("unwind %s %s", m[1], m[2])
			}
		case relocs && !strings.HasPrefix(section, ".nv.merc"):
			if m := theirReloc.FindStringSubmatch(line); m != nil {
				say("%s 0x%x %s %s 0x%x", section, hex(m[1]), m[2], m[3], hex(m[4]))
			}
		}
		if m := theirHead.FindStringSubmatch(line); m != nil {
			say("%s-bit sm_%s toolkit %s", m[1], m[2], strings.ReplaceAll(m[3], ".", ""))
		}
		if name, ok := strings.CutPrefix(line, "\tAttribute:\t"); ok {
			say("%s %s", section, name)
		}
		if m := theirParam.FindStringSubmatch(line); m != nil {
			say("%s param %d offset %d size %d", section, hex(m[1]), hex(m[2]), hex(m[3]))
		}
		if m := theirTarget.FindStringSubmatch(line); m != nil {
			say("%s to align %d space %d", section, 1<<hex(m[1]), hex(m[2]))
		}
		if m := theirCount.FindStringSubmatch(line); m != nil {
			n := hex(m[3])
			if m[2] == "register count" {
				n, _ = strconv.ParseUint(m[3], 10, 64)
			}
			if n != 0xffffffff { // the stack of what recurses
				say("%s %s %d", m[1], m[2], n)
			}
		}
	}
	slices.Sort(facts)
	return facts
}

func hex(s string) uint64 {
	n, _ := strconv.ParseUint(s, 16, 64)
	return n
}

// ours are the same facts of a file read here.
func ours(t *testing.T, f *cubin.File) []string {
	var facts []string
	say := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	say("%d-bit %s toolkit %d%d", f.AddressSize, f.Arch, f.Toolkit.Major, f.Toolkit.Minor)
	name := func(section, attr string) {
		if strings.HasPrefix(attr, "attribute 0x") {
			attr = "unknown Attribute"
		}
		say("%s %s", section, attr)
	}
	for _, a := range f.Attrs() {
		name(a.Section, a.ID.String())
	}
	for _, a := range f.Compat() {
		name(a.Section, a.CompatName())
	}
	for _, fn := range f.Functions {
		for _, p := range fn.Params {
			say(".nv.info.%s param %d offset %d size %d", fn.Name, p.Ordinal, uint16(p.Offset), p.Size)
			say(".nv.info.%s to align %d space %d", fn.Name, p.PointeeAlign, p.PointeeSpace)
		}
		for what, n := range map[string]int{"register count": fn.Regs, "frame size": fn.FrameSize, "min stack size": fn.MinStack} {
			if n >= 0 {
				say("%s %s %d", fn.Name, what, n)
			}
		}
	}
	for _, r := range f.AllRelocs() {
		section := ".rel"
		if r.HasAddend {
			section = ".rela"
		}
		say("%s%s 0x%x %s %v 0x%x", section, r.Section, r.Offset, r.Name, r.Kind, uint64(r.Addend))
	}
	frames, err := f.Frames()
	require.NoError(t, err)
	for _, e := range frames {
		ret := e.Return.String()
		if e.Return == cubin.NoReg {
			ret = "0xffffffff"
		}
		say("unwind return %s", ret)
		list := e.Rules
		for _, d := range e.Funcs {
			say("unwind function %s", d.Function)
			list = append(slices.Clip(list), d.Ops...)
		}
		for _, o := range list {
			if o.Op == cubin.SameValue || o.Op == cubin.Undefined {
				say("unwind %v %v", o.Op, o.Reg)
			}
		}
	}
	slices.Sort(facts)
	return facts
}
