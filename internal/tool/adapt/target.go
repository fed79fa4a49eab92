package adapt

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// VersionFor returns the oldest version of PTX that a shim for an architecture can have,
// 6.0 or later. For an architecture after all that are known it is the newest that is.
func VersionFor(a resolve.Arch) ptx.Version {
	v := ptx.Version{Major: 6}
	if a.SM > versions[len(versions)-1].sm {
		return ptx.Newest
	}
	for _, since := range versions {
		if a.SM >= since.sm {
			v = since.v
		}
	}
	if a.Suffix == "f" && !v.AtLeast(8, 8) {
		v = ptx.Version{Major: 8, Minor: 8}
	}
	return v
}

// versions are those of PTX from which on an architecture can be named. A test holds them
// against package check.
var versions = []struct {
	sm int
	v  ptx.Version
}{
	{72, ptx.Version{Major: 6, Minor: 1}},
	{75, ptx.Version{Major: 6, Minor: 3}},
	{80, ptx.Version{Major: 7, Minor: 0}},
	{86, ptx.Version{Major: 7, Minor: 1}},
	{87, ptx.Version{Major: 7, Minor: 4}},
	{88, ptx.Version{Major: 9, Minor: 0}},
	{89, ptx.Version{Major: 7, Minor: 8}},
	{90, ptx.Version{Major: 8, Minor: 0}},
	{100, ptx.Version{Major: 8, Minor: 6}},
	{103, ptx.Version{Major: 8, Minor: 8}},
	{107, ptx.Version{Major: 9, Minor: 4}},
	{110, ptx.Version{Major: 9, Minor: 0}},
	{120, ptx.Version{Major: 8, Minor: 7}},
	{121, ptx.Version{Major: 8, Minor: 8}},
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
