package packers

import (
	"fmt"
	"strings"
)

func (k *kernel) SizeName() string { return k.GoName + "ParamBufferSize" }

// claim is what diagnostics call a kernel.
func (k *kernel) claim() claim { return claim{"kernel " + k.Name, k.at} }

func (k *kernel) Numbers() []constantValue {
	return append([]constantValue{{Name: k.SizeName(), Value: decimal(k.Size)}},
		offsets(k.GoName+"Offset", "", k.Val, 0, nameSet{})...)
}

// Decl is the kernel's parameter list; "" where its source has no types.
func (k *kernel) Decl() string {
	if k.untyped {
		return ""
	}
	var list []string
	for i, p := range k.Params {
		list = append(list, fmt.Sprintf(p.decl, fmt.Sprintf("%%[1]s_param_%d", i)))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// HoldsFor is the sentence that says for which targets the offsets hold.
func (k *kernel) HoldsFor() string {
	if k.targets == "" {
		return ""
	}
	if k.untyped {
		return "\n\nWhat it was compiled to has it otherwise for other architectures. This is for " + k.targets + " alone."
	}
	return "\n\nA parameter is aligned to more than 16 bytes, so that the offsets depend on the target. These hold for " + k.targets + " alone."
}

// noSymbol is the comment in place of a constant with the kernel's symbol.
func noSymbol(constant string) string {
	return "There is no " + constant + ": this input does not tell what the compiler calls the kernel; \"ptxabi assign\" of the compiled file does."
}

// emit writes the arguments of a kernel.
func (k *kernel) emit(f *goFile) {
	f.part(k.claim(), "")
	f.template("kernel.go.tmpl", k)
	k.methods().emit(f)
	f.snapshots("what "+k.GoName+"Args holds", k.snapshots)
	f.template("check.go.tmpl", k)
}

// methods are those that pack the arguments.
func (k *kernel) methods() *methods {
	return &methods{
		by: k.claim(), Type: k.GoName + "Args", Put: "PutParams", Append: "AppendParams", Get: "UnmarshalParams",
		Size: k.SizeName(), Val: k.Val, Kernel: k.Name,
	}
}

// launchFile is the file with what needs addresses.
func (u *unit) launchFile(path string) *goFile {
	f := &goFile{path: path}
	for _, k := range u.kernels {
		f.part(k.claim(), "")
		f.template("launch.go.tmpl", k)
	}
	return f
}

// Launch is the type of the file with what needs addresses.
func (k *kernel) Launch() string { return k.GoName + "Launch" }
