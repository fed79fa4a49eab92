package main

import (
	"fmt"
	"strings"
)

// function is a function of the module, here or elsewhere.
type function struct {
	name   string
	params []value
	// result has no type where the function returns nothing.
	result value
	// variables are the parameters and locals of a body while it is written.
	variables []value
	temps     int
}

// prototype returns the declaration of f without a semicolon.
func (f *function) prototype() string {
	result := f.result.typ
	if result == "" {
		result = "void"
	}
	params := make([]string, len(f.params))
	for i, p := range f.params {
		params[i] = p.typ + " " + p.name
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return fmt.Sprintf("%s %s(%s)", result, f.name, strings.Join(params, ", "))
}

// signature returns a function with random parameters and a random result.
func (g *generator) signature(name string) *function {
	f := &function{name: name}
	for i := range g.rand.IntN(8) {
		f.params = append(f.params, g.randomValue(fmt.Sprintf("p%d", i)))
	}
	if !g.chance(6) {
		f.result = g.randomValue("")
		if f.result.pointer {
			f.result = value{typ: "int"}
		}
	}
	return f
}

// function writes one function, or the declaration of one that is elsewhere.
func (g *generator) function() {
	f := g.signature(fmt.Sprintf("f%d", len(g.functions)))
	if g.chance(9) {
		g.printf("%s;\n\n", f.prototype())
		g.functions = append(g.functions, f)
		return
	}
	static := ""
	if g.chance(7) {
		static = "static "
	}
	g.printf("%sNOINLINE %s {\n", static, f.prototype())
	f.variables = append([]value{}, f.params...)
	g.body(f)
	if f.result.typ != "" {
		g.line("return %s;", g.result(f))
	}
	g.indent = 0
	g.printf("}\n\n")
	g.functions = append(g.functions, f)
}

// kernel writes a kernel that calls some of the functions.
func (g *generator) kernel() {
	f := &function{name: fmt.Sprintf("k%d", g.kernels)}
	g.kernels++
	for i := range 1 + g.rand.IntN(5) {
		f.params = append(f.params, g.randomValue(fmt.Sprintf("p%d", i)))
	}
	f.params = append(f.params, value{name: "out", typ: "int *", pointer: true})
	g.printf("KERNEL %s {\n", strings.TrimPrefix(f.prototype(), "void "))
	f.variables = append([]value{}, f.params...)
	g.body(f)
	for range 4 {
		g.call(f, g.anyFunction())
	}
	g.line("out[__nvvm_read_ptx_sreg_tid_x()] = i;")
	g.indent = 0
	g.printf("}\n\n")
}

// body writes locals and statements. Every body has an int named i.
func (g *generator) body(f *function) {
	g.indent = 1
	g.line("int i = (int)__nvvm_read_ptx_sreg_ctaid_x();")
	f.variables = append(f.variables, value{name: "i", typ: "int"})
	for range 1 + g.rand.IntN(3) {
		v := value{name: g.temp(f), typ: pick(g, []string{"int", "float", "double", "unsigned"})}
		g.line("%s %s = %s;", v.typ, v.name, g.number(f, 2))
		f.variables = append(f.variables, v)
	}
	for range 2 + g.rand.IntN(4) {
		g.statement(f, 2)
	}
}

func (g *generator) temp(f *function) string {
	f.temps++
	return fmt.Sprintf("t%d", f.temps)
}

// anyFunction returns a function written before, a late one more often; nil where there is none.
func (g *generator) anyFunction() *function {
	n := len(g.functions)
	if n == 0 {
		return nil
	}
	if n > 20 && g.chance(2) {
		return g.functions[n-1-g.rand.IntN(20)]
	}
	return pick(g, g.functions)
}

// statement writes one statement, with others in it up to the given depth.
func (g *generator) statement(f *function, depth int) {
	kind := g.rand.IntN(12)
	if depth == 0 {
		kind = g.rand.IntN(8)
	}
	switch kind {
	case 0, 1, 2:
		g.line("%s = %s;", g.leaf(pick(g, f.variables)), g.number(f, 2))
	case 3, 4, 5, 6:
		g.call(f, g.anyFunction())
	case 7:
		g.rare(f)
	case 8, 9:
		g.block(f, depth, "if (%s > %s) {", g.number(f, 1), g.number(f, 1))
	case 10:
		loop := g.temp(f)
		g.block(f, depth, "for (int %[1]s = 0; %[1]s < (int)%[2]s; %[1]s++) {", loop, g.leaf(pick(g, f.variables)))
	case 11:
		g.choice(f, depth)
	}
}

// block writes a header, statements and the closing brace. What they declare ends with them.
func (g *generator) block(f *function, depth int, header string, args ...any) {
	g.line(header, args...)
	g.indent++
	known := len(f.variables)
	for range 1 + g.rand.IntN(3) {
		g.statement(f, depth-1)
	}
	f.variables = f.variables[:known]
	g.indent--
	g.line("}")
}

// choice writes a switch.
func (g *generator) choice(f *function, depth int) {
	g.line("switch ((int)%s & 7) {", g.leaf(pick(g, f.variables)))
	for i := range 3 + g.rand.IntN(5) {
		g.block(f, depth, "case %d: {", i)
		g.line("break;")
	}
	g.line("}")
}

// rare writes what occurs seldom: a variadic call, a call through a pointer.
func (g *generator) rare(f *function) {
	callee := g.anyFunction()
	if callee == nil || g.chance(3) {
		g.line("i += awayVariadic(%s, %s, (double)%s);", g.number(f, 0), g.number(f, 0), g.number(f, 1))
		return
	}
	pointer := g.temp(f)
	g.line("__typeof__(&%s) %s = &%s;", callee.name, pointer, callee.name)
	g.line("__asm__ volatile(\"\" : \"+l\"(%s));", pointer)
	through := *callee
	through.name = pointer
	g.call(f, &through)
}

// call writes a call of callee and keeps its result in a new variable.
func (g *generator) call(f *function, callee *function) {
	if callee == nil {
		return
	}
	args := make([]string, len(callee.params))
	for i, p := range callee.params {
		args[i] = g.argument(f, p)
	}
	text := fmt.Sprintf("%s(%s)", callee.name, strings.Join(args, ", "))
	if callee.result.typ == "" {
		g.line("%s;", text)
		return
	}
	v := callee.result
	v.name = g.temp(f)
	g.line("%s %s = %s;", v.typ, v.name, text)
	f.variables = append(f.variables, v)
	if v.record != nil || g.chance(2) {
		g.line("i ^= (int)%s;", g.leaf(v))
	}
}

// argument returns an expression of the type of p.
func (g *generator) argument(f *function, p value) string {
	for _, v := range f.variables {
		switch {
		case v.record != p.record || v.pointer && !p.pointer:
		case p.pointer && v.pointer:
			return v.name
		case p.pointer && p.record != nil, p.pointer && v.typ == "int":
			return "&" + v.name
		case p.record != nil:
			return v.name
		}
	}
	if p.record == nil && !p.pointer {
		return g.number(f, 1)
	}
	typ := strings.TrimSuffix(p.typ, " *")
	name := g.temp(f)
	g.line("%s %s = {%s};", typ, name, g.zero(p))
	v := value{name: name, typ: typ, record: p.record}
	f.variables = append(f.variables, v)
	g.line("%s = %s;", g.leaf(v), g.number(f, 1))
	if p.pointer {
		return "&" + name
	}
	return name
}

// zero returns what the initialiser of a new variable holds: nothing for a record, which is cleared by it.
func (g *generator) zero(p value) string {
	if p.record == nil {
		return "0"
	}
	return ""
}

// result returns an expression of the result type of f.
func (g *generator) result(f *function) string {
	return g.argument(f, value{typ: f.result.typ, record: f.result.record})
}

// number returns an arithmetic expression of the given depth.
func (g *generator) number(f *function, depth int) string {
	if depth == 0 || g.chance(4) {
		if g.chance(3) {
			return fmt.Sprint(1 + g.rand.IntN(1000))
		}
		return g.leaf(pick(g, f.variables))
	}
	left, right := g.number(f, depth-1), g.number(f, depth-1)
	if g.chance(4) {
		op := pick(g, []string{"&", "|", "^", "<<", ">>"})
		if strings.Contains("<<>>", op) {
			return fmt.Sprintf("((int)(%s) %s ((int)(%s) & 15))", left, op, right)
		}
		return fmt.Sprintf("((int)(%s) %s (int)(%s))", left, op, right)
	}
	return fmt.Sprintf("(%s %s %s)", left, pick(g, []string{"+", "-", "*"}), right)
}
