package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

// stacks compares the smallest stack of each kernel of random programs, as "ptxabi
// stack" finds it in the objects and in what was linked, with what the linker records.
func stacks(ctx context.Context, l *linker, j job) (string, int, error) {
	dir, err := os.MkdirTemp("", "stacks-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	graphs, kernels, functions, pointers, broken, differ := 0, 0, 0, 0, 0, 0
	targets := l.targets(j.target)
	for i := range j.n {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		target := targets[i%len(targets)]
		p := randomProgram(rand.New(rand.NewPCG(j.seed, uint64(i))))
		var objects []string
		var set link.Set
		for k, text := range p.files {
			object, err := l.assemble(filepath.Join(dir, fmt.Sprint(k)), head(l, target)+text, target, p.level)
			if err != nil {
				return "", 0, fmt.Errorf("program %d for %s: %w", i, target, err)
			}
			objects = append(objects, object)
			if _, err := add(&set, object); err != nil {
				return "", 0, err
			}
		}
		result, said, err := l.join(dir, target, objects)
		if err != nil {
			return "", 0, err
		}
		fails := strings.Contains(said, "Internal error")
		found := slices.ContainsFunc(set.Report(link.Options{Target: target}).Diags, func(d *diag.Diagnostic) bool { return d.Code == link.UnusedAlias })
		if fails != found && l.Version.Major >= 12 && (result != "" || fails) { // 11.8 fails on others
			differ++
			fmt.Printf("seed %d, program %d for %s: the linker fails %v, ours %v: %s\n%s\n", j.seed, i, target, fails, found, said, strings.Join(p.files, "\n// file\n"))
		}
		if fails || result == "" && strings.TrimSpace(said) == "" { // where an alias is not used, or it crashes
			broken++
			continue
		}
		if result == "" {
			return "", 0, fmt.Errorf("program %d for %s: %s", i, target, said)
		}
		var linked link.Set
		f, err := add(&linked, result)
		if err != nil {
			return "", 0, err
		}
		graphs++
		kernels, functions, pointers = kernels+p.kernels, functions+p.functions, pointers+p.pointers
		for _, programs := range [][]*link.Linked{set.Programs(target), linked.Programs("")} {
			if d := different(f, stack.Of(programs, 0)); d != "" {
				differ++
				fmt.Printf("seed %d, program %d for %s: %s\n%s\n", j.seed, i, target, d, strings.Join(p.files, "\n// file\n"))
			}
		}
	}
	line := fmt.Sprintf("%d call graphs, %d kernels, %d functions, %d calls through pointers", graphs, kernels, functions, pointers)
	if broken > 0 {
		line += fmt.Sprintf(", the linker failed on %d more", broken)
	}
	return line, differ, nil
}

// different says in what a report differs from what a linker recorded.
func different(f *cubin.File, r *stack.Report) string {
	n := 0
	for _, p := range r.Programs {
		for _, k := range p.Kernels {
			fn := f.Func(k.Name)
			if fn == nil {
				return "no kernel " + k.Name
			}
			n++
			if k.Bound == stack.Recursive || k.Bytes != fn.MinStack { // of a pointer without callees the linker counts nothing, as stack does
				return fmt.Sprintf("kernel %s: %d bytes, %s; the linker has %d", k.Name, k.Bytes, k.Bound, fn.MinStack)
			}
			if k.Registers.Most != fn.Regs {
				return fmt.Sprintf("kernel %s: %d registers; the linker has %d", k.Name, k.Registers.Most, fn.Regs)
			}
		}
	}
	if want := len(f.Kernels()); n != want {
		return fmt.Sprintf("%d kernels, the linker has %d", n, want)
	}
	return ""
}

func head(l *linker, target string) string {
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", l.PTX, target)
}

// A program is random PTX of several files.
type program struct {
	files                        []string
	level                        string
	kernels, functions, pointers int
}

// A fn is a function of it. It calls later ones alone.
type fn struct {
	file   int
	class  int // of its parameters
	local  int // bytes of its frame, at least
	weak   bool
	static bool
	alias  bool // it has another name, a instead of f
}

// params are the parameters of a class, and how they are passed.
func params(class int) string {
	list := []string{".param .b32 a"}
	for i := range class % 5 {
		list = append(list, fmt.Sprintf(".param .b64 p%d", i))
	}
	if n := class / 5 % 4; n > 0 {
		list = append(list, fmt.Sprintf(".param .align 4 .b8 s[%d]", 40*n))
	}
	return strings.Join(list, ", ")
}

// call is a call of what a text names, with arguments of a class; after it stands the
// prototype of a call through a register.
func call(class int, callee, after string) string {
	var b strings.Builder
	b.WriteString("\t{\n\t.param .b32 qa; st.param.b32 [qa], %r1;\n")
	args := []string{"qa"}
	for i := range class % 5 {
		fmt.Fprintf(&b, "\t.param .b64 q%d; st.param.b64 [q%d], %%p1;\n", i, i)
		args = append(args, fmt.Sprintf("q%d", i))
	}
	if n := class / 5 % 4; n > 0 {
		fmt.Fprintf(&b, "\t.param .align 4 .b8 qs[%d]; st.param.b32 [qs], %%r1; st.param.b32 [qs+%d], %%r1;\n", 40*n, 40*n-4)
		args = append(args, "qs")
	}
	fmt.Fprintf(&b, "\tcall %s, (%s)%s;\n\t}\n", callee, strings.Join(args, ", "), after)
	return b.String()
}

// randomProgram makes one to four files of two to twelve functions and one to three
// kernels. Pointers lead to later functions alone: the classes of parameters grow.
func randomProgram(r *rand.Rand) program {
	p := program{files: make([]string, 1+r.IntN(4)), level: []string{"-O0", "-O1", "-O3"}[r.IntN(3)], functions: 2 + r.IntN(11), kernels: 1 + r.IntN(3)}
	funcs := make([]fn, p.functions)
	aliases := r.IntN(4) == 0
	for i := range funcs {
		funcs[i] = fn{file: r.IntN(len(p.files)), class: i / 3, weak: r.IntN(5) == 0, static: r.IntN(6) == 0}
		if r.IntN(3) > 0 {
			funcs[i].local = 4 * (1 + r.IntN(100))
		}
		funcs[i].alias = aliases && !funcs[i].weak && !funcs[i].static && r.IntN(4) == 0
	}
	declared := make([]map[string]bool, len(p.files))
	bodies := make([]strings.Builder, len(p.files))
	for i := range declared {
		declared[i] = make(map[string]bool)
	}
	name := func(j int) string {
		if funcs[j].alias && r.IntN(2) == 0 {
			return fmt.Sprintf("a%d", j)
		}
		return fmt.Sprintf("f%d", j)
	}
	body := func(file, first int) string {
		var b strings.Builder
		visible := func(j int) bool { return funcs[j].file == file || !funcs[j].static }
		for range r.IntN(4) {
			if first >= p.functions {
				break
			}
			if j := first + r.IntN(p.functions-first); visible(j) {
				callee := name(j)
				declared[file][callee] = true
				b.WriteString(call(funcs[j].class, callee, ""))
			}
		}
		if c := first/3 + 1; r.IntN(3) == 0 && 3*c < p.functions {
			c += r.IntN((p.functions-1)/3 - c + 1)
			p.pointers++
			fmt.Fprintf(&b, "\tproto%d: .callprototype _ (%s);\n\tld.volatile.global.b64 %%p2, [%%p1];\n", p.pointers, params(c))
			b.WriteString(call(c, "%p2", fmt.Sprintf(", proto%d", p.pointers)))
		}
		if j := r.IntN(p.functions); r.IntN(2) == 0 && visible(j) { // its address is taken
			taken := name(j)
			declared[file][taken] = true
			fmt.Fprintf(&b, "\tmov.u64 %%p3, %s; st.volatile.global.b64 [%%p1+8], %%p3;\n", taken)
		}
		return b.String()
	}
	const registers = "\t.reg .b32 %r<3>; .reg .b64 %p<5>;\n"
	for i, f := range funcs {
		link := ".visible "
		switch {
		case f.static:
			link = ""
		case f.weak:
			link = ".weak "
		}
		b := &bodies[f.file]
		fmt.Fprintf(b, "%s.func f%d(%s)\n{\n%s", link, i, params(f.class), registers)
		if f.local > 0 {
			fmt.Fprintf(b, "\t.local .align 4 .b8 buf[%d];\n", f.local)
		}
		b.WriteString("\tld.param.b32 %r1, [a]; mov.u64 %p1, g;\n")
		if f.local > 0 { // which then is in memory
			b.WriteString("\tmov.u64 %p4, buf; cvta.local.u64 %p4, %p4; st.volatile.global.b64 [%p1+16], %p4;\n")
		}
		b.WriteString(body(f.file, i+1))
		b.WriteString("\tst.volatile.global.b32 [%p1+4], %r1;\n\tret;\n}\n")
	}
	for i := range p.kernels {
		file := r.IntN(len(p.files))
		b := &bodies[file]
		fmt.Fprintf(b, ".visible .entry k%d(.param .b32 n)\n{\n%s\tld.param.b32 %%r1, [n]; mov.u64 %%p1, g;\n%s\tret;\n}\n", i, registers, body(file, 0))
	}
	for i := range p.files {
		var b strings.Builder
		b.WriteString(".weak .global .align 8 .b8 g[64];\n")
		for j := range funcs {
			f := funcs[j]
			link := ".visible "
			switch {
			case f.static:
				link = ""
			case f.weak:
				link = ".weak "
			}
			for _, name := range []string{fmt.Sprintf("f%d", j), fmt.Sprintf("a%d", j)} {
				switch {
				case f.file == i && (f.alias || name[0] == 'f'):
					fmt.Fprintf(&b, "%s.func %s(%s);\n", link, name, params(f.class))
				case declared[i][name]:
					fmt.Fprintf(&b, ".extern .func %s(%s);\n", name, params(f.class))
				}
			}
		}
		p.files[i] = b.String() + bodies[i].String()
		for j, f := range funcs {
			if f.alias && f.file == i {
				p.files[i] += fmt.Sprintf(".alias a%d, f%d;\n", j, j)
			}
		}
	}
	return p
}
