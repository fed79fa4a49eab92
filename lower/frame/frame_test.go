package frame_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/frame"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

const (
	held = sass.Reg(16)  // callee-saved
	temp = sass.Reg(100) // the first of those for words on the stack; none of the file's end
)

// A forwarder is a function f that passes its parameters on to g, in the opposite order, and returns
// g's result.
type forwarder struct {
	*abi.Target
	params   []string // declarations, with NAME
	sig, rev abi.Signature
	local    frame.Local
	through  bool // a register
}

func random(rnd *rand.Rand, t *abi.Target) *forwarder {
	w := &forwarder{Target: t, through: rnd.IntN(3) == 0}
	value := func() (string, abi.Value) {
		switch rnd.IntN(4) {
		case 0:
			return ".param .b32 NAME", abi.Value{Size: 4, Align: 4}
		case 1:
			return ".param .b64 NAME", abi.Value{Size: 8, Align: 8}
		}
		words, align := 1+rnd.IntN(20), 4<<rnd.IntN(4)
		return fmt.Sprintf(".param .align %d .b8 NAME[%d]", align, 4*words), abi.Value{Size: 4 * words, Align: align}
	}
	for range rnd.IntN(6) {
		decl, v := value()
		w.params, w.sig.Params = append(w.params, decl), append(w.sig.Params, v)
		w.rev.Params = append([]abi.Value{v}, w.rev.Params...)
	}
	decl, v := value()
	w.params, w.sig.Results = append(w.params, decl), []abi.Value{v}
	w.rev.Results = w.sig.Results
	if rnd.IntN(2) == 0 {
		w.local = frame.Local{Size: rnd.IntN(70), Align: 1 << rnd.IntN(7)}
	}
	return w
}

func (w *forwarder) ptx() string {
	var b strings.Builder
	n := len(w.params) - 1
	decl := func(i int, name string) string { return strings.ReplaceAll(w.params[i], "NAME", name) }
	var fwd, back, back2, args []string
	for i := range n {
		fwd, back = append(fwd, decl(i, fmt.Sprint("p", i))), append([]string{decl(i, fmt.Sprint("q", i))}, back...)
		back2, args = append([]string{decl(i, "_")}, back2...), append([]string{fmt.Sprint("q", i)}, args...)
	}
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n", abitest.DialectOf(w.Target, ptx.Version{}).PTX, w.Name)
	fmt.Fprintf(&b, ".extern .func (%s) g(%s);\n", decl(n, "s"), strings.Join(back, ", "))
	fmt.Fprintf(&b, ".visible .func (%s) f(%s)\n{\n\t.reg .b32 %%r;\n\t.reg .b64 %%rd;\n\t%s;\n", decl(n, "r"), strings.Join(fwd, ", "), decl(n, "s"))
	for _, d := range back {
		fmt.Fprintf(&b, "\t%s;\n", d)
	}
	words := func(i int, from, to string) {
		size := w.sig.Results[0].Size
		if i < n {
			size = w.sig.Params[i].Size
		}
		for off := 0; off < size; off += 4 {
			fmt.Fprintf(&b, "\tld.param.b32 %%r, [%s+%d];\n\tst.param.b32 [%s+%d], %%r;\n", from, off, to, off)
		}
	}
	for i := range n {
		words(i, fmt.Sprint("p", i), fmt.Sprint("q", i))
	}
	if w.through {
		fmt.Fprintf(&b, "\tmov.b64 %%rd, g;\nproto: .callprototype (%s) _ (%s);\n\tcall (s), %%rd, (%s), proto;\n", decl(n, "_"), strings.Join(back2, ", "), strings.Join(args, ", "))
	} else {
		fmt.Fprintf(&b, "\tcall (s), g, (%s);\n", strings.Join(args, ", "))
	}
	words(n, "s", "r")
	b.WriteString("\tret;\n}\n")
	return b.String()
}

func (w *forwarder) listing(t *testing.T) string {
	own, err := abi.Assign(w.sig, w.Target)
	require.NoError(t, err)
	g, err := abi.Assign(w.rev, w.Target)
	require.NoError(t, err)
	fr, err := frame.New(frame.Func{
		Target: w.Target, Name: "f", Assignment: own, Calls: []frame.Callee{{Assignment: g}}, Locals: []frame.Local{w.local, {4, 4}}, Writes: abi.Regs(held).Union(abi.RegRange(temp, temp+sass.Reg(own.StackBytes/4+3))),
	})
	require.NoError(t, err)
	var body []sass.Item
	add := func(op string, args ...sass.Operand) {
		body = append(body, sass.Item{Instr: sass.Instr{Op: op, Args: args}})
	}
	s, next := &machine.Of(w.SM).Spelling, temp
	in := func(p abi.Placement) (regs []sass.Reg) {
		for k := range p.Size / 4 {
			r := p.Loc.Reg + sass.Reg(k)
			if p.Loc.Kind == abi.OnStack {
				r, next = next, next+1
				add(s.LoadLocal.B32, sass.Register(r), fr.Incoming(p.Loc.Off+4*k))
			}
			regs = append(regs, r)
		}
		return regs
	}
	if own.Sret.Kind == abi.InReg {
		body = append(body, fr.Store(1, 0, own.Sret.Reg))
	}
	var args [][]sass.Reg
	for _, p := range own.Params {
		args = append([][]sass.Reg{in(p)}, args...)
	}
	to := frame.To{Name: "g"}
	if w.through {
		to = frame.To{Reg: (next + 1) &^ 1}
		body = append(body, frame.Address(w.Target, to.Reg, "g")...)
	}
	call, err := fr.Call(0, to, args)
	require.NoError(t, err)
	body = append(body, call...)
	if own.Sret.Kind == abi.InReg {
		body = append(body, fr.Load(held, 1, 0))
	}
	var result []sass.Reg
	for k := range w.sig.Results[0].Size / 4 {
		if at := g.Results[0].Loc; at.Kind == abi.InReg {
			result = append(result, at.Reg+sass.Reg(k))
			continue
		}
		add(s.LoadLocal.B32, sass.Register(temp), sass.Mem(w.Regs.SP, int64(fr.Results[0]+4*k)))
		add(s.StoreLocal.B32, sass.Mem(held, int64(4*k)), sass.Register(temp))
	}
	end, err := fr.Return(result)
	require.NoError(t, err)
	return (&sass.Program{Target: w.Name, Funcs: []*sass.Func{fr.Func(fr.Prologue(), body, end)}}).String()
}

// TestForwarders compares random functions that are made from assignments with what package lower
// passes, on every target.
func TestForwarders(t *testing.T) {
	realigned, stack, large, through := 0, 0, 0, 0
	for _, target := range abi.Targets() {
		rnd := rand.New(rand.NewPCG(46, uint64(target.SM)))
		for range 12 {
			w := random(rnd, target)
			src, listing := w.ptx(), w.listing(t)
			r, err := lowertest.Compare([]byte(src), listing, target)
			require.NoError(t, err, src)
			if len(r.Differences)+len(r.NotCompared)+len(r.NotFollowed) > 0 {
				t.Fatalf("%s\n%s\n%v\n%v\n%v", src, listing, r.Differences, r.NotCompared, r.NotFollowed)
			}
			if assert.Equal(t, 1, r.Calls); strings.Contains(listing, machine.Of(target.SM).Spelling.AlignSP) {
				realigned++
			}
			stack += strings.Count(listing, "STL [R1], ")
			large += strings.Count(listing, "address of the result")
			if w.through {
				through++
			}
		}
	}
	for _, n := range []int{realigned, stack, large, through} {
		assert.Greater(t, n, 20)
	}
}

// TestKernel shows the code of a kernel, and what is refused.
func TestKernel(t *testing.T) {
	target := must.Target(t, "sm_120")
	sig, err := abi.ParseSignature("func(4@4, 4@4) -> 4@4")
	require.NoError(t, err)
	g, err := abi.Assign(sig, target)
	require.NoError(t, err)
	fr, err := frame.New(frame.Func{Target: target, Name: "k", Assignment: abi.Assignment{Kind: abi.Entry}, Calls: []frame.Callee{{Assignment: g}}, Locals: []frame.Local{{8, 8}}})
	require.NoError(t, err)
	call, err := fr.Call(0, frame.To{Name: "g"}, [][]sass.Reg{{5}, {4}})
	require.NoError(t, err)
	end, err := fr.Return(nil)
	require.NoError(t, err)
	f := fr.Func(fr.Prologue(), call, end)
	assert.Equal(t, `//--------------------- .text.k --------------------------
k:
	LDC R1, c[0x0][0x37c] ;                         // stack pointer
	IADD R1, R1, -0x8 ;                             // frame of 0x8 bytes
	MOV R0, R4 ;
	MOV R4, R5 ;
	MOV R5, R0 ;
	MOV R20, 32@lo((k + .L_k_0@srel)) ;             // return address
	MOV R21, 32@hi((k + .L_k_0@srel)) ;
	CALL.ABS.NOINC `+"`(g)"+` ;
.L_k_0:
	EXIT ;
`, f.String())

	_, err = fr.Call(0, frame.To{Name: "g"}, nil)
	assert.EqualError(t, err, "k, call 1: 0 arguments for 2 parameters")
	_, err = fr.Call(0, frame.To{Name: "g"}, [][]sass.Reg{{5}, {4, 6}})
	assert.EqualError(t, err, "k, call 1: argument 1: 2 words for R5")
	_, err = fr.Call(0, frame.To{Name: "g"}, [][]sass.Reg{{5}, {0}})
	assert.EqualError(t, err, "k, call 1: argument 1: a word for R5 is in R0, which is overwritten where words change places")
	for _, r := range []sass.Reg{4, 7, 20} {
		_, err = fr.Call(0, frame.To{Reg: r}, [][]sass.Reg{{5}, {6}})
		assert.ErrorContains(t, err, "is odd or which the call needs")
	}
	_, err = fr.Return([]sass.Reg{4})
	assert.EqualError(t, err, "k: a kernel has no result")
	_, err = frame.New(frame.Func{Target: target, Name: "k", Locals: []frame.Local{{8, 3}}})
	assert.EqualError(t, err, "k: local 0 has size 8 and alignment 3")
	_, err = frame.New(frame.Func{Target: target, Name: "k", Locals: []frame.Local{{8, 64}}, Writes: abi.Regs(2)})
	assert.ErrorContains(t, err, "the body writes R2, which keeps the stack pointer")
	for _, none := range []*abi.Target{nil, {}} {
		_, err = frame.New(frame.Func{Target: none, Name: "k"})
		assert.EqualError(t, err, "k: no target")
	}
	onStack := abi.Assignment{Params: []abi.Placement{{Loc: abi.Loc{Kind: abi.OnStack}, Size: 6, Align: 2}}, StackBytes: 8}
	st, err := frame.New(frame.Func{Target: target, Name: "k", Calls: []frame.Callee{{Assignment: onStack}}})
	require.NoError(t, err)
	for _, words := range [][]sass.Reg{{4}, {4, 5, 6}} {
		_, err = st.Call(0, frame.To{Name: "g"}, [][]sass.Reg{words})
		assert.ErrorContains(t, err, "for 6 bytes")
	}
	_, err = fr.Call(1, frame.To{Name: "g"}, nil)
	assert.EqualError(t, err, "k, call 2: there are 1")
	several, err := abi.Assign(abi.Signature{Results: []abi.Value{{Size: 4}, {Size: 4}}}, target)
	require.NoError(t, err)
	_, err = frame.New(frame.Func{Target: target, Name: "k", Assignment: several})
	assert.EqualError(t, err, "k: a value has no place")
	_, err = frame.New(frame.Func{Target: target, Name: "k", Calls: []frame.Callee{{Assignment: g}, {Assignment: several}}})
	assert.EqualError(t, err, "k, call 2: a value has no place")
	_, err = frame.New(frame.Func{Target: target, Name: "k", Calls: []frame.Callee{{Assignment: abi.Assignment{Kind: abi.Entry}}}})
	assert.EqualError(t, err, "k, call 1: a kernel cannot be called")
}
