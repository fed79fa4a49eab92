package packers

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

func (k *kernel) sizeName() string { return k.goName + "ParamBufferSize" }

// constants are all that a kernel declares.
func (k *kernel) constants() []constantValue {
	list := k.numbers()
	if !k.untyped {
		list = append(list, constantValue{name: k.goName + "Decl", text: k.decl()})
	}
	if k.symbol != "" {
		list = append(list, constantValue{name: k.goName + "Symbol", text: k.symbol})
	}
	return append(list, k.bounds...)
}

func (k *kernel) numbers() []constantValue {
	return append([]constantValue{{name: k.sizeName(), number: k.size}},
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

// emit writes the arguments of a kernel.
func (k *kernel) emit(f *jen.File) {
	doc(f, fmt.Sprintf("%sArgs are the arguments of the kernel %s of %s.%s", k.goName, k.name, k.source, k.holdsFor()))
	var list []jen.Code
	for _, x := range k.val.fields {
		s := jen.Id(x.name).Add(x.val.typ)
		if x.comment != "" {
			s = s.Comment(x.comment)
		}
		list = append(list, s)
	}
	f.Type().Id(k.goName + "Args").Struct(list...)
	f.Line()
	doc(f, fmt.Sprintf("The parameters of %s, in bytes. %s is where the last one ends:\npadding after it would make the driver refuse.", k.name, k.sizeName()))
	declareConstants(f, k.numbers())
	if !k.untyped {
		doc(f, fmt.Sprintf("%sDecl is the kernel's parameter list in PTX; %%[1]s is the kernel's name.", k.goName))
		f.Const().Id(k.goName + "Decl").Op("=").Lit(k.decl())
		f.Line()
	}
	if k.symbol != "" {
		doc(f, fmt.Sprintf("%sSymbol is the name of the kernel in what it is compiled to, as cuModuleGetFunction\ntakes it.", k.goName))
		f.Const().Id(k.goName + "Symbol").Op("=").Lit(k.symbol)
		f.Line()
	}
	if len(k.bounds) > 0 {
		doc(f, fmt.Sprintf("What %s says of its blocks.", k.name))
		declareConstants(f, k.bounds)
	}
	doc(f, "ParamBufferSize returns the number of bytes that a launch passes.")
	f.Func().Params(jen.Op("*").Id(k.goName + "Args")).Id("ParamBufferSize").Params().Int().Block(jen.Return(jen.Id(k.sizeName())))
	f.Line()
	k.methods().emit(f)
	emitSnapshots(f, "what "+k.goName+"Args holds", k.snapshots)
	k.emitCheck(f)
}

// methods are those that pack the arguments.
func (k *kernel) methods() *methods {
	return &methods{
		typ: k.goName + "Args", put: "PutParams", app: "AppendParams", get: "UnmarshalParams",
		size: k.sizeName(), val: k.val, kernel: k.name,
	}
}

// emitCheck writes the comparison with what a driver knows.
func (k *kernel) emitCheck(f *jen.File) {
	name := "Check" + k.goName + "Params"
	doc(f, fmt.Sprintf(`%s holds the places of the parameters against those that a
driver has for the kernel %s. Query is the binding's cuFuncGetParamInfo or
cuKernelGetParamInfo for the kernel: it returns the offset and the size of the
parameter with an index, and an error if there is none. A nil query, and one
that returns an error which is errors.ErrUnsupported, as it does for drivers
before CUDA 12.4, gives an error that is errors.ErrUnsupported: not available.`, name, k.name))
	query := jen.Func().Params(jen.Id("index").Int()).Params(jen.List(jen.Id("offset"), jen.Id("size")).Int(), jen.Err().Error())
	errorf := func(format string, args ...jen.Code) jen.Code {
		return jen.Return(jen.Qual("fmt", "Errorf").Call(append([]jen.Code{jen.Lit(k.name + ": " + format)}, args...)...))
	}
	body := []jen.Code{
		jen.If(jen.Id("query").Op("==").Nil()).Block(
			errorf("parameter information is not available: %w", jen.Qual("errors", "ErrUnsupported"))),
	}
	if len(k.params) > 0 {
		var want []jen.Code
		for _, p := range k.params {
			want = append(want, jen.Line().Values(jen.Lit(int(p.off)), jen.Lit(int(p.size))))
		}
		want = append(want, jen.Line())
		body = append(body,
			jen.For(jen.List(jen.Id("i"), jen.Id("want")).Op(":=").Range().Index(jen.Op("...")).
				Struct(jen.List(jen.Id("offset"), jen.Id("size")).Int()).Values(want...)).Block(
				jen.List(jen.Id("offset"), jen.Id("size"), jen.Err()).Op(":=").Id("query").Call(jen.Id("i")),
				jen.If(jen.Err().Op("!=").Nil()).Block(errorf("parameter %d: %w", jen.Id("i"), jen.Err())),
				jen.If(jen.Id("offset").Op("!=").Id("want").Dot("offset").Op("||").Id("size").Op("!=").Id("want").Dot("size")).Block(
					errorf("parameter %d has %d bytes at %d here, and %d at %d in the driver",
						jen.Id("i"), jen.Id("want").Dot("size"), jen.Id("want").Dot("offset"), jen.Id("size"), jen.Id("offset")),
				),
			),
		)
	}
	more := jen.If(jen.List(jen.Id("_"), jen.Id("_"), jen.Err()).Op(":=").Id("query").Call(jen.Lit(len(k.params))), jen.Err().Op("==").Nil()).Block(
		errorf(fmt.Sprintf("the driver has more than the %d parameters known here", len(k.params))))
	if len(k.params) == 0 {
		more = more.Else().If(jen.Qual("errors", "Is").Call(jen.Err(), jen.Qual("errors", "ErrUnsupported"))).Block(
			errorf("parameter information: %w", jen.Err()))
	}
	body = append(body, more, jen.Return(jen.Nil()))
	f.Func().Id(name).Params(jen.Id("query").Add(query)).Error().Block(body...)
	f.Line()
}

// launchFile is the file with what needs addresses.
func (u *unit) launchFile() ([]byte, error) {
	f := u.newFile()
	for _, k := range u.kernels {
		k.emitLaunch(f)
	}
	return u.render(f)
}

// launchNames are the types of the file with what needs addresses.
func (k *kernel) launchNames() (launch, memory string) {
	return k.goName + "Launch", lowerFirst(k.goName) + "LaunchMemory"
}

func pointer() *jen.Statement { return jen.Qual("unsafe", "Pointer") }

// emitLaunch writes the two forms in which a launch takes parameters.
func (k *kernel) emitLaunch(f *jen.File) {
	name, memory := k.launchNames()
	doc(f, fmt.Sprintf(`%[1]s holds the parameters of %[2]s for a launch, in both forms
that cuLaunchKernel takes. Pin fills it; Unpin is to be called when the launch has
returned. It must not be copied. The zero value is ready for Pin, and may be used
again.`, name, k.name))
	f.Type().Id(name).Struct(
		jen.Id("_").Index(jen.Lit(0)).Qual("sync", "Mutex").Comment("go vet reports copies"),
		jen.Id("memory").Op("*").Id(memory),
		jen.Id("pinner").Qual("runtime", "Pinner"),
		jen.Id("pinned").Bool(),
	)
	f.Line()
	doc(f, fmt.Sprintf(`%s is what a launch of %s reads. It is an allocation of its own:
cgo refuses memory that holds pointers to what is not pinned, and a Pinner is
such a pointer.`, memory, k.name))
	f.Type().Id(memory).Struct(
		jen.Id("buf").Index(jen.Lit(int(max(k.size, 1)))).Byte(),
		jen.Id("size").Uintptr().Comment("size_t"),
		jen.Id("params").Index(jen.Lit(max(len(k.params), 1))).Add(pointer()),
		jen.Id("extra").Index(jen.Lit(5)).Uintptr(),
	)
	f.Line()
	recv := jen.Id("l").Op("*").Id(name)

	doc(f, "Pin packs the arguments and pins what the two forms lead to.")
	body := []jen.Code{
		jen.If(jen.Id("l").Dot("memory").Op("==").Nil()).Block(
			jen.Id("l").Dot("memory").Op("=").New(jen.Id(memory)),
		),
		jen.Id("m").Op(":=").Id("l").Dot("memory"),
		jen.If(jen.Op("!").Id("l").Dot("pinned")).Block(
			jen.Id("l").Dot("pinner").Dot("Pin").Call(jen.Id("m")),
			jen.Id("l").Dot("pinned").Op("=").True(),
		),
	}
	if k.size > 0 {
		body = append(body, jen.Id("v").Dot("PutParams").Call(jen.Id("m").Dot("buf").Index(jen.Empty(), jen.Empty())))
	}
	body = append(body, jen.Id("m").Dot("size").Op("=").Id(k.sizeName()))
	for i, p := range k.params {
		body = append(body, jen.Id("m").Dot("params").Index(jen.Lit(i)).Op("=").Add(pointer()).Call(
			jen.Op("&").Id("m").Dot("buf").Index(jen.Lit(int(p.off)))))
	}
	body = append(body,
		jen.Comment("CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE and CU_LAUNCH_PARAM_END"),
		jen.Id("m").Dot("extra").Op("=").Index(jen.Lit(5)).Uintptr().Values(
			jen.Lit(1), jen.Uintptr().Call(pointer().Call(jen.Op("&").Id("m").Dot("buf"))),
			jen.Lit(2), jen.Uintptr().Call(pointer().Call(jen.Op("&").Id("m").Dot("size"))),
			jen.Lit(0),
		))
	f.Func().Params(recv.Clone()).Id("Pin").Params(jen.Id("v").Op("*").Id(k.goName + "Args")).Block(body...)
	f.Line()

	addresses := "KernelParams returns what cuLaunchKernel takes as kernelParams: the address of\neach parameter. It is valid between Pin and Unpin; nil before."
	if len(k.params) == 0 {
		addresses = "KernelParams returns what cuLaunchKernel takes as kernelParams. The kernel has no\nparameters: one nil stands there, so that the slice has an address. It is\nvalid between Pin and Unpin; nil before."
	}
	doc(f, addresses)
	f.Func().Params(recv.Clone()).Id("KernelParams").Params().Index().Add(pointer()).Block(
		jen.If(jen.Id("l").Dot("memory").Op("==").Nil()).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("l").Dot("memory").Dot("params").Index(jen.Empty(), jen.Empty())))
	f.Line()
	doc(f, "Extra returns what cuLaunchKernel takes as extra: names and addresses, up to\n"+
		"CU_LAUNCH_PARAM_END. They are numbers, since those names are not addresses that Go\n"+
		"lets a pointer hold. A binding takes their address. It is valid between Pin and Unpin; nil\nbefore.")
	f.Func().Params(recv.Clone()).Id("Extra").Params().Index().Uintptr().Block(
		jen.If(jen.Id("l").Dot("memory").Op("==").Nil()).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("l").Dot("memory").Dot("extra").Index(jen.Empty(), jen.Empty())))
	f.Line()
	doc(f, "Unpin ends what Pin began.")
	f.Func().Params(recv.Clone()).Id("Unpin").Params().Block(
		jen.Id("l").Dot("pinner").Dot("Unpin").Call(),
		jen.Id("l").Dot("pinned").Op("=").False(),
	)
	f.Line()
}
