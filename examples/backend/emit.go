package main

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// bytes lays a type out by nvcc's rules for nvptx64.
func bytes(t layout.Type) *layout.Layout {
	l, err := layout.Of(t, layout.LP64.NVCC())
	if err != nil {
		panic(err) // the toy's types are its own
	}
	return &l
}

// An emitter writes PTX.
type emitter struct {
	strings.Builder
	regs map[string]int // registers used so far, by prefix
}

func (e *emitter) line(format string, args ...any) { fmt.Fprintf(e, format+"\n", args...) }

// reg returns a new register for values of a type of ld.param.
func (e *emitter) reg(typ string) string {
	prefix := map[string]string{".f32": "%f", ".f64": "%fd", ".u32": "%r", ".s32": "%r", ".u64": "%rd"}[typ]
	e.regs[prefix]++
	return fmt.Sprintf("%s%d", prefix, e.regs[prefix])
}

// body writes a function: its head, the registers that the statements need,
// and the statements.
func (e *emitter) body(head string, statements func(b *emitter)) {
	b := &emitter{regs: make(map[string]int)}
	statements(b)
	e.line("%s\n{", head)
	for _, r := range []struct{ prefix, typ string }{{"%f", ".f32"}, {"%fd", ".f64"}, {"%r", ".b32"}, {"%rd", ".b64"}} {
		if n := b.regs[r.prefix]; n > 0 {
			e.line("\t.reg %s %s<%d>;", r.typ, r.prefix, n+1)
		}
	}
	e.WriteString(b.String())
	e.line("}")
}

// declare returns the declaration that carries a type: a struct travels as an
// array of bytes with the struct's size and alignment.
func declare(t layout.Type, role layout.Role, name string) string {
	return bytes(t).ParamOf(layout.NVCC, role, name).String()
}

// caller is by whose convention a call declares its arguments. Another than
// nvcc's is a bug, since functions are declared by that.
var caller = layout.NVCC

// accesses calls f for every load or store that a struct takes.
func accesses(t layout.Type, f func(off int64, typ string)) {
	l := bytes(t)
	for leaf := range l.Fields() {
		a := l.Loads(&leaf, 0)
		for i := range a.Count {
			f(a.Off+i*a.Size, a.Type)
		}
	}
}

// function writes a toy function.
func (e *emitter) function(f *Func) {
	p, by := f.Params[0], f.Params[1]
	head := fmt.Sprintf(".visible .func (%s) %s (%s, %s)", declare(f.Result, layout.Result, "out"), f.Name,
		declare(p.Type, layout.Argument, p.Name), declare(by.Type, layout.Argument, by.Name))
	e.body(head, func(e *emitter) {
		factor := e.reg(".f32")
		e.line("\tld.param.f32 %s, [%s];", factor, by.Name)
		accesses(p.Type, func(off int64, typ string) {
			v := e.reg(typ)
			e.line("\tld.param%s %s, [%s+%d];", typ, v, p.Name, off)
			switch typ {
			case ".f32":
				e.line("\tmul.f32 %s, %s, %s;", v, v, factor)
			case ".f64":
				wide := e.reg(typ)
				e.line("\tcvt.f64.f32 %s, %s;", wide, factor)
				e.line("\tmul.f64 %s, %s, %s;", v, v, wide)
			}
			e.line("\tst.param%s [out+%d], %s;", typ, off, v)
		})
		e.line("\tret;")
	})
}

// kernel writes a kernel that calls f with its own parameters and leaves the
// result where its first parameter points.
func (e *emitter) kernel(f *Func) {
	p, by := f.Params[0], f.Params[1]
	head := fmt.Sprintf(".visible .entry %s_kernel (.param .u64 to, %s, %s)", f.Name,
		declare(p.Type, layout.KernelArgument, p.Name), declare(by.Type, layout.KernelArgument, by.Name))
	e.body(head, func(e *emitter) {
		to := e.reg(".u64")
		e.line("\tld.param.u64 %s, [to];\n\tcvta.to.global.u64 %s, %s;\n\t{", to, to, to)
		e.line("\t%s;\n\t%s;\n\t%s;", bytes(p.Type).ParamOf(caller, layout.Argument, "arg0"), declare(by.Type, layout.Argument, "arg1"),
			declare(f.Result, layout.Result, "ret0"))
		var values []string
		accesses(p.Type, func(off int64, typ string) {
			v := e.reg(typ)
			values = append(values, v)
			e.line("\tld.param%s %s, [%s+%d];", typ, v, p.Name, off)
		})
		factor := e.reg(".f32")
		e.line("\tld.param.f32 %s, [%s];", factor, by.Name)
		accesses(p.Type, func(off int64, typ string) {
			e.line("\tst.param%s [arg0+%d], %s;", typ, off, values[0])
			values = values[1:]
		})
		e.line("\tst.param.f32 [arg1], %s;", factor)
		e.line("\tcall.uni (ret0), %s, (arg0, arg1);", f.Name)
		accesses(f.Result, func(off int64, typ string) {
			v := e.reg(typ)
			values = append(values, v)
			e.line("\tld.param%s %s, [ret0+%d];", typ, v, off)
		})
		e.line("\t}")
		accesses(f.Result, func(off int64, typ string) {
			e.line("\tst.global%s [%s+%d], %s;", typ, to, off, values[0])
			values = values[1:]
		})
		e.line("\tret;")
	})
}

// module returns a module with f and its kernel.
func module(f *Func) string {
	e := new(emitter)
	e.line(".version 7.8\n.target sm_80\n.address_size 64\n")
	e.function(f)
	e.line("")
	e.kernel(f)
	return e.String()
}
