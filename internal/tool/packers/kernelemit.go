package packers

import (
	"fmt"
	"strings"
)

func (k *kernel) sizeName() string { return k.goName + "ParamBufferSize" }

// claim is what diagnostics call a kernel.
func (k *kernel) claim() claim { return claim{"kernel " + k.name, k.at} }

func (k *kernel) numbers() []constantValue {
	return append([]constantValue{{name: k.sizeName(), value: decimal(k.size)}},
		offsets(k.goName+"Offset", "", k.val, 0, nameSet{})...)
}

// decl is the kernel's parameter list.
func (k *kernel) decl() string {
	if len(k.params) == 0 {
		return "()"
	}
	var list []string
	for i, p := range k.params {
		list = append(list, fmt.Sprintf(p.decl, fmt.Sprintf("%%[1]s_param_%d", i)))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// holdsFor is the sentence that says for which targets the offsets hold.
func (k *kernel) holdsFor() string {
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
	f.template("kernel.go.tmpl", k.described())
	k.methods().emit(f)
	f.snapshots("what "+k.goName+"Args holds", k.snapshots)
	f.template("check.go.tmpl", k.described())
}

// described is what templates say of a kernel.
func (k *kernel) described() map[string]any {
	type param struct{ Offset, Size int64 }
	var params []param
	for _, p := range k.params {
		params = append(params, param{p.off, p.size})
	}
	decl := ""
	if !k.untyped {
		decl = k.decl()
	}
	return map[string]any{
		"Source": k.source, "HoldsFor": k.holdsFor(), "Fields": k.val.fields, "Numbers": k.numbers(), "Bounds": k.bounds,
		"Decl": decl, "Symbol": k.symbol, "NoSymbol": noSymbol(k.goName + "Symbol"),
		"Name": k.name, "GoName": k.goName, "Params": params, "Size": k.size, "SizeName": k.sizeName(),
		"Launch": k.launch(), "Memory": lowerFirst(k.goName) + "LaunchMemory", "Room": max(k.size, 1), "Slots": max(len(params), 1),
	}
}

// methods are those that pack the arguments.
func (k *kernel) methods() *methods {
	return &methods{
		by: k.claim(), typ: k.goName + "Args", put: "PutParams", app: "AppendParams", get: "UnmarshalParams",
		size: k.sizeName(), val: k.val, kernel: k.name,
	}
}

// launchFile is the file with what needs addresses.
func (u *unit) launchFile(path string) *goFile {
	f := &goFile{path: path}
	for _, k := range u.kernels {
		f.part(k.claim(), "")
		f.template("launch.go.tmpl", k.described())
	}
	return f
}

// launch is the type of the file with what needs addresses.
func (k *kernel) launch() string { return k.goName + "Launch" }
