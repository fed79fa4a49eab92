package main

import (
	"slices"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// What stands above an example.
const (
	ofHeader   = "Example, a header:\n\n"
	ofModule   = "Example, for lower:\n\n"
	ofGo       = "Example, for \"ptxabi verify -type Params\":\n\n"
	ofCall     = "Example, a call of package lower that draws it; no command does:\n\n"
	ofPtxparam = "Example, for ptxparam:\n\n"
	ofVerify   = "Example, files for \"ptxabi verify x.ptx x.cu\":\n\n"
	ofAdapt    = "Example, a header for \"ptxabi adapt -from clang -to nvcc\":\n\n"
	ofObjects  = "Example, commands whose files are for \"ptxabi link\":\n\n"
	ofCommand  = "Example, a command:\n\n"
	ofLink     = "Example, modules for \"ptxabi link\":\n\n"
)

// A code is one that package check does not have, with what stands above its
// example.
type code struct {
	check.Rule
	head string
}

// otherCodes are those of diagnostics about declarations, of lowering and of
// ptxparam. A test draws each with its example.
var otherCodes = []code{
	{check.Rule{
		Code: cdecl.Syntax, When: "BadDeclaration occurs when a text is not a declaration of C, CUDA or Go that can be read.",
		Fix: "The message says what was found and what was expected.", Source: "ISO C, \"Declarations\".",
		Example: "struct S { int };",
	}, ofHeader},
	{check.Rule{
		Code: adapt.Code, When: "CannotAdapt occurs in \"ptxabi adapt\" where a shim cannot move what one side passes to where the other looks for it, or where a mapping does not say which bytes go where.",
		Fix: "The message says what to write: a prototype without variable arguments, an address in place of a class, or a move in the mapping.", Source: "docs/adapt.md.",
		Example: "int sum(int n, ...);",
	}, ofAdapt},
	{check.Rule{
		Code: cdecl.Undeclared, When: "UndeclaredName occurs when a header or a Go file names a type or a constant that is not declared.",
		Fix: "declare or include it; system headers are not read, but the names of stdint.h and CUDA's types are known.", Source: "ISO C, \"Identifiers\".",
		Example: "struct S { unknown x; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Redefined, When: "RedefinedName occurs when one name has two definitions.",
		Fix: "rename or drop one.", Source: "ISO C, \"Declarations\".",
		Example: "struct S { int x; };\nstruct S { int x; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Constant, When: "NotConstant occurs where a constant is needed, as for the bound of an array, and there is none, or one out of range.",
		Fix: "write a literal, an enumerator or a macro.", Source: "ISO C, \"Constant expressions\".",
		Example: "int n;\nstruct S { int x[n]; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.BadType, When: "BadType occurs when a type does not exist, has no layout, or cannot be a parameter, such as int, string, a slice or a pointer in a Go struct, or when a tag of a Go struct does not fit its field.",
		Fix: "The message says what is wrong with it.", Source: "ISO C, \"Types\".",
		Example: "struct S { int x[-1]; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Assert, When: "FailedAssertion occurs when a static assertion does not hold for the layout that is computed.",
		Fix: "change the record or the assertion, or -lang and -rules if they are wrong.", Source: "ISO C, \"Static assertions\".",
		Example: "struct S { int x; };\n_Static_assert(sizeof(struct S) == 8, \"size\");",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Unsupported, When: "UnsupportedC occurs when a declaration of C++ cannot be read, such as virtual bases and templates with parameter packs.",
		Fix: "declare a plain record of the same layout.", Source: "what ptxabi reads is described in docs/layout.md.",
		Example: "template <class... T> struct V { int n; };\nstruct S { V<int> v; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Directive, When: "BadDirective occurs when a preprocessor directive is wrong or cannot be followed, as when a file to include is not there.",
		Fix: "fix the directive, or run the compiler's preprocessor first.", Source: "ISO C, \"Preprocessing directives\".",
		Example: "#include \"missing.h\"",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.Ignored, Severity: diag.Warning, When: "NoEffect occurs when a declaration, an attribute or an #include does nothing here: headers in angle brackets are not read.",
		Fix: "drop it; if its names are needed, include a file of your own that declares them.", Source: "what ptxabi reads is described in docs/layout.md.",
		Example: "#include <vector>\nstruct S { int x; };",
	}, ofHeader},
	{check.Rule{
		Code: cdecl.NonTrivial, Severity: diag.Warning, When: "NotTrivial occurs when a record of C++ has a constructor for copies or a destructor: results of it are returned through a pointer.",
		Fix: "leave them to the compiler.", Source: "Itanium C++ ABI, \"Non-trivial return values\".",
		Example: "struct S { S(const S &); int x; };",
	}, ofHeader},
	{check.Rule{
		Code: resolve.BadSignature, When: "BadSignature occurs when formals have no place: an invalid alignment, an unsized array that is not the last, more bytes than a target passes. It also occurs when the signature of assign -sig cannot be read.",
		Fix: "The message says which formal it is and what its limit is.", Source: "PTX ISA, \"Kernel and Function Directives\"; limits are measured, and \"ptxabi targets\" names how.",
		Example: ".version 7.8\n.target sm_80\n.func f(.param .align 3 .b8 x[8]) { ret; }",
	}, "Example, for assign:\n\n"},
	{check.Rule{
		Code: lower.NotLowered, When: "NotLowered occurs when check has no error for a module, but lower has no code for it: a mistake of ptxabi.",
		Fix: "report it, with the module.", Source: "package lower: it has code for what check accepts.",
		Example: "lower.Module(m, t, lower.Options{}) // of an m for which check.Module has no error",
	}, ofCall},
	{check.Rule{
		Code: badTarget, When: "BadTarget occurs when a module's .target is unknown or has not been measured, or when its code does not run on what -target names. The exit status is 2, and 1 that of ptxparam.",
		Fix: "name an architecture with -target that runs the module: its own, or a later one.", Source: "PTX ISA, \".target\"; \"ptxabi targets\" lists what has been measured.",
		Example: ".version 7.8\n.target sm_999\n.func f() { ret; }",
	}, ofModule},
	{check.Rule{
		Code: resolve.OldTarget, Severity: diag.Note, When: "OldTarget occurs when a module's .target is older than every architecture that has been measured: the result is for the oldest of those.",
		Fix: "choose another architecture with -target.", Source: "\"ptxabi targets\" lists what has been measured.",
		Example: ".version 7.8\n.target sm_30\n.func f() { ret; }",
	}, ofModule},
	{check.Rule{
		Code: codeMismatch, When: "CodeMismatch occurs when a backend's listing does something else than the calling convention demands of its module; compare prints it with -format sarif.",
		Fix: "The message says what the place should hold, what it holds, and by which rule.", Source: "docs/abi.md, whose rules the message names.",
		Example: "ptxabi compare examples/compare/add.ptx examples/compare/wrong.sass",
	}, ofCommand},
	{check.Rule{
		Code: lower.BadHome, When: "BadHome occurs when Options.Homes of package lower has a home for a virtual register that it cannot have: a register that does not exist, is reserved or misaligned, or is lost in a call.",
		Fix: "choose another register, or none; the message says why.", Source: "package lower, Homes.",
		Example: "lower.Module(m, t, lower.Options{Homes: homes}) // whose Home returns 0, true for a register of 32 bits",
	}, ofCall},
	{check.Rule{
		Code: layoutcmd.Note, Severity: diag.Note, When: "Layout occurs when there is a note about the layout of a struct, such as a difference between Go's layout and C's.",
		Fix: "nothing, if the struct is used only on other platforms; otherwise explicit padding.", Source: "the Go specification, \"Size and alignment guarantees\".",
		Example: "package p\n\ntype Params struct {\n\tX    float64\n\tTail struct{}\n}",
	}, ofGo},
	{check.Rule{
		Code: "BadKernel", When: "BadKernel occurs when ptxparam cannot pack a kernel's arguments: it is overloaded or variadic, the places of its parameters depend on a target that was not named, no cubin has it for the target, or a type of -param does not fit.",
		Fix: "The message says which it is.", Source: "docs/ptxparam.md.",
		Example: "__global__ void k(int n, ...);",
	}, ofPtxparam},
	{check.Rule{
		Code: "LayoutMismatch", When: "LayoutMismatch occurs when a Go struct and the record that its //ptxabi:header names differ in a field's place, kind or name.",
		Fix: "make the struct's fields those of the record.", Source: "docs/ptxparam.md.",
		Modules: []string{"// x.go\npackage p\n\n//ptxabi:header x.h params\ntype Params struct{ N float32 }\n", "// x.h\nstruct params { int n; };\n"},
	}, ofPtxparam},
	{check.Rule{
		Code: verify.Mismatch, When: "KernelMismatch occurs when a compiled file and its source, or a struct of a launch, differ; verify prints it with -format sarif and github.",
		Fix: "compile the source again, or give verify the source from which the file was compiled.", Source: "docs/verify.md.",
		Modules: []string{"// x.ptx\n.version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n) { ret; }\n", "// x.cu\nextern \"C\" __global__ void k(long n);\n"},
	}, ofVerify},
}

// explanationOf returns what a code means, once for each that has the code:
// some are used of PTX and of declarations. It is nil if there is no such code.
func explanationOf(name string) []code {
	var list []code
	if x, ok := check.Explain(diag.Code(name)); ok {
		list = append(list, code{x, headOf(x)})
	}
	for _, c := range otherCodes {
		if string(c.Code) == name {
			list = append(list, c)
		}
	}
	for _, r := range linkRules() {
		if string(r.Code) != name {
			continue
		}
		head := ofLink
		switch {
		case r.Code == failure || r.Code == remark:
			head = ofCommand
		case r.Modules == nil:
			head = ofObjects
		}
		list = append(list, code{r, head})
	}
	return list
}

// linkRules are those of package link, of what link leaves out, and of messages without a code.
func linkRules() []check.Rule {
	return append(slices.Clone(link.Rules), check.Rule{
		Code: failure, When: "Failure occurs with -errors json, and in batch and jsonl, where a command has no result and the reason is about no place in a file: a flag, or a file that cannot be read.",
		Fix: "The message says what is wrong.", Source: "docs/batch.md.",
		Example: "ptxabi -errors json assign nothing.ptx",
	}, check.Rule{
		Code: remark, Severity: diag.Note, When: "Remark occurs with -errors json, and in batch and jsonl: a note or a warning about a file as a whole, such as what verify or diff has left out.",
		Fix: "The message says what it is about.", Source: "docs/batch.md.",
		Example: "ptxabi -errors json annotate -ptx other.ptx x.sass",
	}, check.Rule{
		Code: leftOut, Severity: diag.Note, When: "LeftOut occurs when link or stack cannot read something among the files: an image that is neither a cubin nor PTX, a damaged or stripped one, a cubin or fatbin that is itself the member of a library, a declaration whose name for the linker, or whose types, are not known.",
		Fix: "The message says what it is.", Source: "docs/link.md.",
		Example: "strip -s x.cubin",
	})
}

func headOf(x check.Rule) string {
	switch {
	case len(x.Modules) > 0:
		return "Example, modules for \"ptxabi check -link\":\n\n"
	case x.Compile:
		return "Example, for \"ptxabi check -c\":\n\n"
	}
	return "Example:\n\n"
}

// explained returns all codes that explain knows, those of package check first.
func explained() []string {
	names := make([]string, 0, len(otherCodes))
	for _, c := range append(check.Codes(), ptx.BadSyntax) {
		names = append(names, string(c))
	}
	for _, c := range otherCodes {
		if !slices.Contains(names, string(c.Code)) {
			names = append(names, string(c.Code))
		}
	}
	for _, r := range linkRules() {
		names = append(names, string(r.Code))
	}
	return names
}
