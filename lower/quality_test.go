package lower_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/oracle"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// callerSource is a kernel that calls an external function as the program
// wants it.
func (s *simSpec) callerSource(t *abi.Target) string {
	g := &program{widest: 16}
	var m strings.Builder
	fmt.Fprintf(&m, ".version 8.3\n.target %s\n.address_size 64\n", t.Name)
	m.WriteString(".extern .global .b8 in[];\n.extern .global .b8 out[];\n.extern .global .b8 cond[];\n")
	m.WriteString(".extern .func " + s.head("f") + ";\n")
	b := g.body()
	b.call(s, "f", "2", callDirect, false, nil)
	b.emit("ret")
	m.WriteString(b.text(".visible .entry k ()"))
	return m.String()
}

func (p *simParam) plainType() {
	switch p.Type {
	case ptx.U8, ptx.S8:
		p.Type = ptx.B8
	case ptx.U16, ptx.S16:
		p.Type = ptx.B16
	case ptx.F16X2:
		p.Type = ptx.B32
	case ptx.Pred:
		p.Type = ptx.B32
	}
}

type counts struct{ permutes, locals, moves int }

func count(f *sass.Func) counts {
	var c counts
	for i := range f.Items {
		it := &f.Items[i]
		if it.Kind != sass.Code {
			continue
		}
		op, mods, _ := strings.Cut(it.Instr.Op, ".")
		switch op {
		case "PRMT", "LOP3", "SHF", "SGXT", "BFI", "BFE", "LEA", "I2I", "LOP", "SHL", "SHR", "LOP32I":
			c.permutes++
		case "LDL", "STL":
			c.locals++
		case "MOV", "MOV32I", "HFMA2", "IMAD", "CS2R":
			if op == "IMAD" && (strings.Contains(mods, "SHL") || strings.Contains(mods, "IADD")) {
				c.permutes++
				continue
			}
			c.moves++
		}
	}
	return c
}

func TestExplore(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	var tk *oracle.Toolkit
	for _, k := range tools.Toolkits {
		if k.Version.Major == 12 && k.Version.Minor == 4 {
			tk = k
		}
	}
	target, _ := abi.Lookup("sm_80")
	var ours, theirs counts
	worse, n := 0, 0
	for seed := uint64(1); seed <= 120; seed++ {
		s := randomSpec(seed, target)
		s.Recurse = false
		for i := range s.Params {
			s.Params[i].plainType()
		}
		if s.Result != nil {
			s.Result.plainType()
		}
		src := s.callerSource(target)
		mod, err := ptx.Parse("x.ptx", []byte(src))
		require.NoError(t, err, src)
		prog, err := lower.Module(mod, target, lower.Options{})
		if err != nil {
			fmt.Println("lower", err)
			continue
		}
		cubin, err := tk.Assemble(context.Background(), src, "sm_80", "-c", "-O1")
		if err != nil {
			fmt.Println(seed, strings.Split(err.Error(), "\n")[0])
			continue
		}
		text, err := tk.Disassemble(context.Background(), cubin, "sm_80")
		require.NoError(t, err)
		p, err := sass.Parse("d", []byte(text))
		require.NoError(t, err)
		for _, f := range p.Funcs {
			if f.Name != "k" {
				continue
			}
			a, b := count(prog.Funcs[0]), count(f)
			ours.permutes += a.permutes
			ours.locals += a.locals
			theirs.permutes += b.permutes
			theirs.locals += b.locals
			n++
			if a.permutes+a.locals > b.permutes+b.locals {
				worse++
				fmt.Printf("seed %d: ours %+v theirs %+v\n", seed, a, b)
				if worse >= 3 {
					fmt.Println(src, prog, text)
				}
			}
		}
	}
	fmt.Println(n, worse, ours, theirs)
}
