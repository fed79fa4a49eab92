package packers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
)

// A binding is a package of Go whose launch passes eight bytes of each parameter, whatever
// its size. A Launch is generated for it that passes all of them.
type binding struct {
	name string // as -binding has it
	path string // of the package
	pkg  string // its name
	own  string // its launch
	// params are those of the own launch, in Go, without the parameters of the kernel; PKG is the package.
	params string
	// From these come what the driver takes: Go expressions, and statements before them.
	before, function, grid, block, stream string
	// hidden says that a function is a struct that has its handle and does not show it.
	hidden bool
}

// bindings are all of them. docs/ptxparam.md says which version of each was read.
var bindings = []binding{
	vansteenkiste("gorgonia", "gorgonia.org/cu", "Function.Launch", true),
	vansteenkiste("mumax", "github.com/mumax/3/cuda/cu", "LaunchKernel", false),
	vansteenkiste("cuda5", "github.com/barnex/cuda5/cu", "LaunchKernel", false),
	{
		name: "cudago", path: "github.com/InternatBlackhole/cudago/cuda", pkg: "cuda", own: "Function.Launch",
		params: "f *PKG.Function, grid, block PKG.Dim3, sharedBytes uint64, stream *PKG.Stream",
		before: "var handle uintptr // of the stream; 0 is the default one's\n" +
			"if stream != nil {\nhandle = stream.NativePointer()\n}\n",
		function: "f.NativePointer()", stream: "handle",
		grid: "grid.X grid.Y grid.Z", block: "block.X block.Y block.Z",
	},
}

// vansteenkiste is one of the bindings that come from Arne Vansteenkiste's cu.
func vansteenkiste(name, path, own string, hidden bool) binding {
	b := binding{
		name: name, path: path, pkg: "cu", own: own, hidden: hidden,
		params:   "f PKG.Function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes int, stream PKG.Stream",
		function: "f", stream: "stream",
		grid: "gridX gridY gridZ", block: "blockX blockY blockZ",
	}
	if hidden {
		b.function, b.stream = "*(*uintptr)(unsafe.Pointer(&f))", "uintptr(unsafe.Pointer(stream.C()))"
	}
	return b
}

// BindingNames returns the names that Config.Binding accepts.
func BindingNames() []string {
	return each(bindings, func(b binding) string { return b.name })
}

// binding returns the one that Config.Binding says; nil if it says none.
func (g *generator) binding() (*binding, error) {
	if g.Binding == "" {
		return nil, nil
	}
	name, path, fork := strings.Cut(g.Binding, "=")
	i := slices.IndexFunc(bindings, func(b binding) bool { return b.name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("-binding %q is none of %s%s; others need none, docs/ptxparam.md says which",
			name, strings.Join(BindingNames(), ", "), near.DidYouMean(name, BindingNames()))
	case len(g.Kernels) == 0:
		return nil, fmt.Errorf("-binding %s: a binding launches kernels, of which -kernel names none", g.Binding)
	case isTestFile(g.out.code):
		return nil, fmt.Errorf("-binding %s: what it generates needs cgo, which Go does not have in tests; "+
			"an output that does not end in _test.go can have it", g.Binding)
	case fork && (path == "" || strings.ContainsAny(path, " \t\"`\\")):
		return nil, fmt.Errorf("-binding %s: %q is not the import path of a package", g.Binding, path)
	}
	found := bindings[i]
	if fork {
		found.path = path
	}
	return &found, nil
}

// bindingFile is the file with the launches for a binding.
func (u *unit) bindingFile(b *binding, path string) *goFile {
	pkg, alias := b.pkg, ""
	if _, ok := u.declared[pkg]; ok {
		pkg += "binding"
	}
	if pkg != b.pkg || b.path[strings.LastIndexByte(b.path, '/')+1:] != pkg {
		alias = pkg + " "
	}
	std := map[string]string{}
	for _, name := range []string{"fmt", "unsafe"} {
		std[name] = name
		if _, ok := u.declared[name]; ok {
			std[name] = "std" + name
		}
	}
	// The declarations of C in it are those of cuda.h, where types of handles are pointers, and CUresult an int: so no
	// header is looked for.
	f := &goFile{path: path, cgo: true}
	f.part(claim{}, "")
	f.template("binding.go.tmpl", map[string]any{
		"Package": u.pkg, "Path": b.path, "Alias": alias, "Pkg": pkg, "Hidden": b.hidden, "Std": std,
	})
	for _, k := range u.kernels {
		f.part(k.claim(), "")
		f.template("binding_launch.go.tmpl", map[string]any{
			"Name": k.Name, "Own": b.own, "Path": b.path, "Launch": k.Launch(),
			"Failed": strings.ReplaceAll(k.Name, "%", "%%") + ": cuLaunchKernel: %s (%d)",
			"Args":   k.GoName + "Args", "Std": std,
			"Params": strings.ReplaceAll(b.params, "PKG", pkg), "Before": b.before,
			"Function": strings.ReplaceAll(b.function, "unsafe.", std["unsafe"]+"."),
			"Stream":   strings.ReplaceAll(b.stream, "unsafe.", std["unsafe"]+"."),
			"Grid":     strings.Fields(b.grid), "Block": strings.Fields(b.block),
		})
	}
	return f
}
