package adapt

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/arrival"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// VersionFor returns the oldest version of PTX that a shim for an architecture can have,
// 6.0 or later. For an architecture of which none is known it is the newest that is.
func VersionFor(a resolve.Arch) ptx.Version {
	since := arrival.Of(a.Name)
	if since == nil {
		return ptx.Newest
	}
	if v := (ptx.Version{Major: since.Major, Minor: since.Minor}); v.AtLeast(6, 0) {
		return v
	}
	return ptx.Version{Major: 6}
}

// For reports what keeps s from being assembled for a target: assemblers crash on a call
// without arguments whose result is in memory.
func (s *Shim) For(t *abi.Target) diag.List {
	if t == nil || !t.Passing.CrashOnLoneSret || len(s.Callee.Params) > 0 || len(s.Callee.Results) == 0 {
		return nil
	}
	a, err := abi.Assign(resolve.NewFunction(nil, s.Callee).Signature(), t)
	if err != nil || a.Results[0].Loc.Kind != abi.Indirect {
		return nil
	}
	e := errs{}
	e.add(s.Callee.Pos, "callee: %s has no parameter, and returns %d bytes; assemblers crash on calls of such functions for %s: give it a parameter", s.Callee.Name, sizeOf(&s.Callee.Results[0]), t.Name)
	return e.list
}
