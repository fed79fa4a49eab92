package main

import (
	"fmt"
	"strings"
)

// The kernel that is launched, and where the two modules meet.
const kernelName = "k"

// head begins a module.
func head(target, ptx string) string {
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", ptx, target)
}

// modules returns the kernel's module and that of the function that it calls.
//
//	entry   the address of the function
//	give    what the function returns
//	seen    what the function found
func (p *passing) modules(target, ptx string) (kernel, function string) {
	caller, callee := p.typed, p.rawSide
	if p.fromRaw {
		caller, callee = callee, caller
	}
	give, seen := max(padded(len(p.result)), 4), max(padded(p.taken()), 4)
	arrays := func(linkage string) string {
		return fmt.Sprintf("%s .global .align 16 .b8 give[%d];\n%s .global .align 16 .b8 seen[%d];\n", linkage, give, linkage, seen)
	}

	w := &writer{}
	w.WriteString(head(target, ptx) + arrays(".extern"))
	w.line(".extern .global .align 8 .u64 entry;")
	w.line(".visible .entry %s(.param .u64 out, .param .u64 in)\n{", kernelName)
	w.registers()
	local := p.fromRaw && p.indirect()
	if local {
		w.line(".local .align 128 .b8 buf[%d];", padded(len(p.result)))
	}
	arguments := caller(names)
	for _, a := range arguments.params {
		w.line("%s;", a)
	}
	if arguments.result != "" {
		w.line("%s;", arguments.result)
	}
	w.line("ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];")
	w.line("mov.u64 %%give, give;\nmov.u64 %%seen, seen;")
	w.copy("global", "%give", 0, "global", "%in", padded(p.passed()), len(p.result))
	if p.fromRaw {
		for i := range arguments.params {
			if local && i == 0 {
				w.line("mov.u64 %%loc, buf;\ncvt.u32.u64 %%w, %%loc;")
			} else {
				w.line("ld.global.b32 %%w, [%%in+%d];", 4*i)
			}
			w.line("st.param.b32 [%s], %%w;", names(i))
		}
	} else {
		at := 0
		for i, v := range p.values {
			w.copy("param", names(i), 0, "global", "%in", at, len(v))
			at += len(v)
		}
	}
	w.line("ld.global.u64 %%f, [entry];")
	prototype := caller(unnamed)
	w.line("P: .callprototype %s;", prototype.head("_"))
	result, list := "", make([]string, len(arguments.params))
	if arguments.result != "" {
		result = "(" + names(-1) + "), "
	}
	for i := range list {
		list[i] = names(i)
	}
	w.line("call %s%%f, (%s), P;", result, strings.Join(list, ", "))
	if local {
		w.copy("global", "%out", padded(p.taken()), "local", "%loc", 0, len(p.result))
	} else {
		w.copy("global", "%out", padded(p.taken()), "param", names(-1), 0, len(p.result))
	}
	w.copy("global", "%out", 0, "global", "%seen", 0, p.taken())
	w.line("ret;\n}")
	kernel = w.String()

	w = &writer{}
	w.WriteString(head(target, ptx) + arrays(".visible"))
	formals := callee(names)
	w.line(".func %s", formals.head("f"))
	w.line("{")
	w.registers()
	w.line("mov.u64 %%give, give;\nmov.u64 %%seen, seen;")
	at := 0
	if p.fromRaw {
		for i, v := range p.values {
			w.copy("global", "%seen", at, "param", names(i), 0, len(v))
			at += len(v)
		}
	} else {
		for i := range formals.params {
			w.line("ld.param.b32 %%w, [%s];\nst.global.b32 [%%seen+%d], %%w;", names(i), 4*i)
		}
	}
	if !p.fromRaw && p.indirect() {
		w.line("ld.param.b32 %%w, [%s];\ncvt.u64.u32 %%loc, %%w;", names(0))
		w.copy("local", "%loc", 0, "global", "%give", 0, len(p.result))
	} else {
		w.copy("param", names(-1), 0, "global", "%give", 0, len(p.result))
	}
	w.line("ret;\n}")
	w.line(".visible .global .align 8 .u64 entry = f;")
	return kernel, w.String()
}

// A writer writes PTX.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) registers() {
	w.line(".reg .b64 %%in, %%out, %%give, %%seen, %%loc, %%f;\n.reg .b32 %%w;\n.reg .b16 %%h;")
}

// copy copies n bytes one by one.
func (w *writer) copy(to, dst string, at int, from, src string, off, n int) {
	for i := range n {
		w.line("ld.%s.b8 %%h, [%s+%d];\nst.%s.b8 [%s+%d], %%h;", from, src, off+i, to, dst, at+i)
	}
}
