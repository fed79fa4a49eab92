package simtest

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
)

// access executes an ld.param or st.param.
func (f *ptxFrame) access(fn *ptx.Func, a *ptx.Access) error {
	size := a.Type.Size()
	var mem []sim.Byte
	if v := f.lookup(a.Addr.Base); v != nil {
		off := int(a.Addr.Off)
		if off < 0 || off+a.Bytes() > len(v.bytes) {
			return fmt.Errorf("%d bytes at %s+%d", a.Bytes(), a.Addr.Base, off)
		}
		mem = v.bytes[off : off+a.Bytes()]
	} else {
		v, ok := sim.Uint(f.Get(a.Addr.Base, f.logs.pointer))
		if !ok {
			return fmt.Errorf("the address in %s is undefined", a.Addr.Base)
		}
		var err error
		if mem, err = f.at(uint32(v)+uint32(a.Addr.Off), a.Bytes()); err != nil {
			return err
		}
	}
	regs := a.Regs
	if a.Whole && regs[0].Kind == ptx.KindName {
		regs = make([]ptx.Operand, a.Vec)
		for i, e := range vecElems(a.Regs[0].Text) {
			regs[i] = ptx.Operand{Kind: ptx.KindName, Text: e}
		}
	}
	for i := range regs {
		o, part := &regs[i], mem[size*i:size*(i+1)]
		switch {
		case o.Kind == ptx.KindSink:
		case a.Store:
			b, err := f.source(o, size)
			if err != nil {
				return err
			}
			copy(part, b)
		default:
			f.Set(o.Text, widen(part, regSize(o.Text), a.Type.Signed()))
		}
	}
	return nil
}

// widen extends what is loaded to the size of its register.
func widen(b []sim.Byte, size int, signed bool) []sim.Byte {
	b = slices.Clone(b)
	top := b[len(b)-1]
	for len(b) < size {
		switch {
		case top.From.Kind == sim.Undefined:
			b = append(b, sim.Byte{})
		case signed:
			b = append(b, top.Sign())
		default:
			b = append(b, sim.Bytes(0, 1)...)
		}
	}
	return b
}

// source returns the bytes of an operand of a store or a call.
func (f *ptxFrame) source(o *ptx.Operand, size int) ([]sim.Byte, error) {
	switch o.Kind {
	case ptx.KindInt:
		return sim.Bytes(o.Bits, size), nil
	case ptx.KindFloat:
		return sim.Bytes(o.Bits, size), nil
	case ptx.KindName:
		return f.read(o.Text, size), nil
	}
	return nil, fmt.Errorf("the operand %s", o.Text)
}

// callStmt executes a call.
func (f *ptxFrame) callStmt(c *ptx.Call) error {
	var fn *ptx.Func
	if c.Callee.Text[0] == '%' {
		v, ok := sim.Uint(f.Get(c.Callee.Text, f.logs.pointer))
		if !ok || v == 0 || v > uint64(len(f.mod.Items)) {
			return fmt.Errorf("the register %s holds no function", c.Callee.Text)
		}
		fn = f.mod.Items[v-1].(*ptx.Func)
		fn = f.table.Lookup(fn.Name).Func
	} else {
		fn = f.table.Lookup(c.Callee.Text).Func
	}
	args := make([][]sim.Byte, len(fn.Params)) // an empty tail may be left out
	for i := range c.Params {
		o, p := &c.Params[i], &fn.Params[i]
		if v := f.lookup(o.Text); v != nil {
			args[i] = slices.Clone(v.bytes)
			continue
		}
		b, err := f.source(o, p.Size())
		if err != nil {
			return err
		}
		args[i] = b
	}
	f.events = append(f.events, event{kind: "call", name: fn.Name, bytes: args})
	result, err := f.ptxMachine.call(fn, args)
	if err != nil {
		return err
	}
	f.events = append(f.events, event{kind: "return", name: fn.Name, bytes: [][]sim.Byte{result}})
	if len(c.Results) == 0 || c.Results[0].Kind == ptx.KindSink {
		return nil
	}
	name := c.Results[0].Text
	if v := f.lookup(name); v != nil {
		copy(v.bytes, result)
		return nil
	}
	f.assign(name, result)
	return nil
}
