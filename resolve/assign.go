package resolve

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// BadSignature is the code of formals that no assignment exists for.
const BadSignature diag.Code = "BadSignature"

// A Place says whose signature is assigned, for complaints.
type Place struct {
	File            string
	Name            string   // of the function or prototype
	Pos             diag.Pos // for what concerns no single formal
	Params, Results []ptx.Formal
	// Version is the module's, which limits the parameters of kernels. The
	// zero Version sets no limit beside the target's.
	Version ptx.Version
	// Later takes values behind arrays of handles to be where ptxas 13.4 has them.
	Later bool
}

// Assign computes the assignment of a signature. What package abi says of
// indices it says of names and positions.
func Assign(a *abi.Assignment, s abi.Signature, t *abi.Target, at Place) diag.List {
	err := a.Assign(s, t)
	if err == nil && s.Kind != abi.Entry {
		return nil // without the room that the rest takes
	}
	return at.complaints(a, s, t, err)
}

func (at *Place) complaints(a *abi.Assignment, s abi.Signature, t *abi.Target, err error) diag.List {
	var diags diag.List
	complain := func(pos diag.Pos, format string, args ...any) {
		diags.Add(&diag.Diagnostic{File: at.File, Pos: pos, Code: BadSignature, Msg: fmt.Sprintf(format, args...)})
	}
	if err == nil {
		at.limit(a, s, t, complain)
		if !at.Later {
			at.handles(s, complain)
		}
		return diags
	}
	var list abi.ErrorList
	if !errors.As(err, &list) {
		complain(at.Pos, "%s: %v", at.Name, err)
		return diags
	}
	for _, e := range list {
		formals := at.Params
		if e.Result {
			formals = at.Results
		}
		if e.Param < 0 || e.Param >= len(formals) {
			complain(at.Pos, "%s: %s", at.Name, e.Msg)
			continue
		}
		p := &formals[e.Param]
		if Size(&p.Spec, &p.Var) == maxSize {
			complain(p.Var.Pos, "%s of %s: an array of %d bytes or more", p.Name, at.Name, int64(maxSize))
			continue
		}
		complain(p.Var.Pos, "%s of %s: %s", p.Name, at.Name, e.Msg)
	}
	return diags
}

// handles complains of arrays of handles in front of values. Releases of the assembler
// up to 13.0 give them bytes of the block, those from 13.4 on none.
func (at *Place) handles(s abi.Signature, complain func(diag.Pos, string, ...any)) {
	behind := -1 // the next value
	for i := len(at.Params) - 1; i >= 0; i-- {
		p := &at.Params[i]
		switch {
		case s.Params[i].Kind != abi.Opaque:
			behind = i
		case len(p.Dims) > 0 && behind >= 0:
			complain(p.Var.Pos, "%s of %s: an array of handles has bytes with ptxas up to 13.0 and none from 13.4 on, so that %s is not where it was; put the array behind all values",
				p.Name, at.Name, at.Params[behind].Name)
		}
	}
}

// limit complains of the first parameter of a kernel that ends beyond what the
// module's version allows.
func (at *Place) limit(a *abi.Assignment, s abi.Signature, t *abi.Target, complain func(diag.Pos, string, ...any)) {
	if s.Kind != abi.Entry || at.Version == (ptx.Version{}) {
		return
	}
	limit := t.MaxKernelParams(abi.Version(at.Version))
	if a.Block.Size <= limit || limit >= max(t.Kernel.MaxParams, t.Kernel.LargeParams) {
		return
	}
	// What counts is not the size of the block, but where its parameters end
	// with alignments counted from its start. Assign knows (K1).
	older := *t
	older.Kernel.LargeParams = 0
	var errs abi.ErrorList
	if !errors.As(new(abi.Assignment).Assign(s, &older), &errs) {
		return
	}
	for _, e := range errs {
		if e.Code != abi.TooLarge || e.Param < 0 || e.Param >= len(at.Params) {
			continue
		}
		f := &at.Params[e.Param]
		end, _, _ := strings.Cut(e.Msg, ", ")
		complain(f.Var.Pos, "%s of %s: %s, PTX %d.%d passes at most %d; %s allows %d from PTX %d.%d on",
			f.Name, at.Name, end, at.Version.Major, at.Version.Minor, limit,
			t.Name, t.Kernel.LargeParams, t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor)
		return
	}
}
