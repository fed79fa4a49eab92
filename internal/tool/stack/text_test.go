package stack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// many is a program with n kernels of a namespace, of which number i takes 16*i bytes.
func many(file string, n int) Program {
	p := Program{File: file, Target: "sm_80", Linked: true, Source: Records}
	for i := range n {
		name := fmt.Sprintf("_ZN7cluster5inner6step%02dEi", i)
		p.Kernels = append(p.Kernels, Kernel{
			Name: name, Bytes: 16 * i, Bound: Bounded, Path: []Step{{Function: name, Frame: 16 * i}},
			Registers: Registers{Own: 24, Most: 24, Where: name, Launches: true},
		})
	}
	return p
}

// TestTextMany has more kernels than are shown: those that say most are, and the others are counted.
func TestTextMany(t *testing.T) {
	r := &Report{Programs: []Program{many("a", 30), many("b", 3)}}
	k := r.Programs[0].Kernels
	k[0].Bound, k[1].Bound, k[2].Registers = AtLeast, Recursive, Registers{Own: 9, Most: 9, Where: k[2].Name, Why: "too many threads"}
	k[29].Path = nil
	for i := range 100 {
		k[29].Path = append(k[29].Path, Step{Function: fmt.Sprintf("_ZN7cluster5inner2f%dEi", i%10), Frame: 4})
		k[29].Pointers = append(k[29].Pointers, Pointer{Caller: k[29].Name, Prototype: "()"})
	}
	text := r.Text(Style{})
	assert.Equal(t, 10, strings.Count(text, "\nkernel "))
	for _, want := range []string{
		"a, for sm_80\nnames are without cluster::inner::\n\nkernel step00(int): at least 0 bytes of stack\n",
		"\nkernel step01(int): no bound, 16 bytes of stack for one level\n", "\nkernel step02(int): 32 bytes of stack\n",
		"  does not launch: too many threads\n", "\nkernel step23(int): ", "\nkernel step29(int): ",
		"\n20 more kernels, at most 352 bytes of stack, at most 24 registers: -v shows them\n",
		"\n1 more program, with 3 kernels, at most 32 bytes of stack, at most 24 registers: -v shows them\n",
		"  step29(int) calls through a pointer (): nothing that is known here\n  and 90 more calls through pointers: -v shows them\n",
		"       4      20  f4(int)\n                  90 more functions: -v shows them\n       4     384  f5(int)\n",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "step22(int)")
	assert.NotContains(t, text, "_Z")

	text = r.Text(Style{All: true})
	assert.Equal(t, 33, strings.Count(text, "\nkernel "))
	assert.NotContains(t, text, "-v ")
	assert.Contains(t, text, "       4     400  f9(int)\n")
	text = r.Text(Style{Mangled: true})
	assert.Contains(t, text, "\nkernel _ZN7cluster5inner6step29Ei: ")
	assert.NotContains(t, text, "step29(int)")

	for i := range k { // no number but that of the registers
		k[i].Bound, k[i].Registers.Launches = AtLeast, i%2 == 0
	}
	r.Programs[1].Kernels[0].Registers.Most = -1
	r.Programs[1].Kernels = r.Programs[1].Kernels[:1]
	text = r.Text(Style{})
	assert.Contains(t, text, "\n20 more kernels, at most 24 registers, 20 without a known bound, 5 that cannot be launched: -v shows them\n")
	assert.Contains(t, text, "\n1 more program, with 1 kernel, at most 0 bytes of stack: -v shows them\n")
}

// TestTextAlike has kernels of two files whose demangled names are the same, and functions with
// frames that differ: each is printed as its symbol.
func TestTextAlike(t *testing.T) {
	p := Program{File: "a", Target: "sm_80", Source: Code, Compared: &Compared{Functions: 2}}
	for _, file := range []string{"8c6bd3a1_4_a", "9c6bd3a1_4_b"} {
		name := "_ZN38_GLOBAL__N__" + file + "_cu_1f2e3d4c_54"
		p.Kernels = append(p.Kernels, Kernel{Name: name + "stepEi", Bound: Bounded, Path: []Step{{Function: name + "stepEi"}}})
		p.Compared.Differ = append(p.Compared.Differ, Differs{Function: name + "walkEi", Code: 16, Recorded: 8, File: "a.cubin"})
	}
	text := (&Report{Programs: []Program{p}}).Text(Style{})
	for i := range p.Kernels {
		assert.Contains(t, text, "\nkernel "+p.Kernels[i].Name+": ")
		assert.Contains(t, text, "\n  "+p.Compared.Differ[i].Function+": 16 bytes in the code")
	}
}

// TestTextSystem: kernels of which only printf is unknown do not take the place of those that need most.
func TestTextSystem(t *testing.T) {
	r := &Report{Programs: []Program{many("a", 30)}}
	for i := range 25 {
		k := &r.Programs[0].Kernels[i]
		k.Bound, k.Unknown = AtLeast, []string{"vprintf"}
	}
	text := r.Text(Style{})
	assert.Contains(t, text, "kernel step29(int): ")
	assert.NotContains(t, text, "kernel step05(int): ")
}
