package link

import (
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
)

// Codes of diagnostics beside those of package check about several modules.
const (
	// MismatchedVariable is a variable that the linker refuses to join.
	MismatchedVariable diag.Code = "MismatchedVariable"
	// MisalignedVariable is a variable that a file wants more aligned than it is.
	MisalignedVariable diag.Code = "MisalignedVariable"
	// DifferentValue is a variable that several files may define, with different initial values.
	DifferentValue diag.Code = "DifferentValue"
	// RegisterLimit is a function that needs more registers than a kernel leaves it.
	RegisterLimit diag.Code = "RegisterLimit"
	// MixedTargets is files for architectures that the linker does not join.
	MixedTargets diag.Code = "MixedTargets"
	// MixedReleases is objects of releases that the linker does not join.
	MixedReleases diag.Code = "MixedReleases"
	// LostReturn is a call that does not come back of a function that does.
	LostReturn diag.Code = "LostReturn"
	// UnusedAlias is an alias of which the linkers keep one name and not the other.
	UnusedAlias diag.Code = "UnusedAlias"
	// LeftOut is what takes no part, and a note.
	LeftOut diag.Code = "LeftOut"
)

const measured = "measured with the linkers 11.8 to 13.5: testdata/measured, the probe links."

// Rules explain these codes. The modules of an example are linked.
var Rules = []check.Rule{
	{
		Code: MismatchedVariable, Severity: diag.Error,
		When:   "MismatchedVariable occurs when files give a variable different sizes or state spaces, when only one of them says that it is managed, or when a name is a variable in one and a function in the other; NVIDIA's linker refuses it. A variable without extent matches every size; of common variables the linker takes the largest.",
		Fix:    "make the declarations equal.",
		Source: measured,
		Modules: []string{
			".extern .global .b32 v[4];\n.visible .entry k() { .reg .b32 %r; ld.global.b32 %r, [v]; ret; }\n",
			".visible .global .b32 v[2];\n",
		},
	},
	{
		Code: MisalignedVariable, Severity: diag.Error,
		When:   "MisalignedVariable occurs when a declaration aligns a variable to more bytes than its definition does. NVIDIA's linker takes it, and places the variable by its definition: accesses that rely on the declaration may fault.",
		Fix:    "give the definition the alignment of the declaration.",
		Source: measured,
		Modules: []string{
			".extern .global .align 16 .b32 v[4];\n.visible .entry k() { .reg .b32 %r<4>; ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [v]; ret; }\n",
			".visible .global .align 4 .b32 v[4];\n",
		},
	},
	{
		Code: DifferentValue, Severity: diag.Warning,
		When:   "DifferentValue occurs when two files define a weak variable with different initial values. NVIDIA's linker takes the first one that it is given.",
		Fix:    "define it in one file, or with equal values.",
		Source: measured,
		Modules: []string{
			".weak .global .b32 v = 1;\n",
			".weak .global .b32 v = 2;\n",
		},
	},
	{
		Code: RegisterLimit, Severity: diag.Error,
		When:   "RegisterLimit occurs when a function that a kernel reaches, by calls or through pointers with a prototype of a function whose address is taken, needs more registers than .maxnreg, the extents of its blocks or -maxrregcount allow the kernel; NVIDIA's linker refuses it. Objects have register counts, PTX has none.",
		Fix:    "compile the function with -maxrregcount, or with a smaller .maxnreg, or raise the limit of the kernel.",
		Source: measured,
		Example: "ptxas -c -arch sm_80 -maxrregcount 32 kernel.ptx -o kernel.cubin\n" +
			"ptxas -c -arch sm_80 function.ptx -o function.cubin   # needs 40",
	},
	{
		Code: MixedTargets, Severity: diag.Error,
		When:   "MixedTargets occurs when files are for architectures, or sizes of addresses, that NVIDIA's linker does not join. Linkers take objects into programs for some later architectures, which docs/link.md lists. It is a warning if some releases take the file, and for a fatbin, or an object with one, that has nothing for the architecture: nvlink leaves it out, and the library nvJitLink refuses it.",
		Fix:    "compile all for one architecture.",
		Source: "measured with the linkers 11.8 to 13.5: testdata/measured, joins.",
		Modules: []string{
			".version 8.3\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n",
			".version 8.3\n.target sm_80\n.address_size 32\n.extern .func f();\n.visible .entry k() { call f; ret; }\n",
		},
	},
	{
		Code: MixedReleases, Severity: diag.Error,
		When:   "MixedReleases occurs when an object for sm_90 is from ptxas 11.8 or earlier, whose function pointers have another meaning. nvlink of 12 and later refuses it, whether it has function pointers or not; nvJitLink 12.8 and 12.9 take it, and give both kinds of pointers one meaning. It is an error if another object is from a later release, which nvlink 11.8 refuses, and a warning otherwise.",
		Fix:    "compile the older one again.",
		Source: "measured with the linkers 11.8 to 13.5: testdata/measured/releases.txt; docs/abi.md, \"Function addresses\".",
		Example: "cuda-11.8/bin/ptxas -c -arch sm_90 x.ptx -o x.cubin\n" +
			"cuda-12.4/bin/ptxas -c -arch sm_90 y.ptx -o y.cubin",
	},
	{
		Code: LostReturn, Severity: diag.Error,
		When:   "LostReturn occurs when a declaration is .noreturn and the definition is not: callers have left out the code after the call. NVIDIA's linker takes it. If only the definition is .noreturn, the program is right.",
		Fix:    "make the declarations equal.",
		Source: measured,
		Modules: []string{
			".extern .func f() .noreturn;\n.visible .entry k() { call f; ret; }\n",
			".visible .func f() { ret; }\n",
		},
	},
	{
		Code: UnusedAlias, Severity: diag.Error,
		When:   "UnusedAlias occurs when only one of a function and its alias is used: a kernel calls it by that name, or its address is taken by that name. NVIDIA's linkers from 12.4 on fail: \"Internal error: reference to deleted symbol\".",
		Fix:    "leave the alias out, or use both names.",
		Source: measured,
		Modules: []string{
			".visible .func a();\n.visible .func f() { ret; }\n.alias a, f;\n",
			".extern .func f();\n.visible .entry k() { call f; ret; }\n",
		},
	},
}
