package gotypes

import "go/types"

// SizesFor returns the sizes of the Go compiler for an architecture such as "amd64"; nil if there is
// none of that name. Those of go/types take the size of the last field twice for each struct that
// holds another, so that n nested ones take 2^n steps; these take each type once. They must not be
// used by several goroutines at once.
func SizesFor(arch string) types.Sizes {
	of := types.SizesFor("gc", arch)
	if of == nil {
		return nil
	}
	return &sizes{of: of, known: make(map[types.Type]extent)}
}

// Checker type-checks a package as far as declarations of types need: without the bodies of functions.
func Checker(imports types.Importer, report func(error)) *types.Config {
	return &types.Config{
		Importer: imports, Error: report, FakeImportC: true, IgnoreFuncBodies: true, DisableUnusedImportCheck: true, Sizes: SizesFor("amd64"),
	}
}

// sizes are those of another, of which each type is asked once.
type sizes struct {
	of    types.Sizes
	known map[types.Type]extent
}

// An extent is the size and the alignment of a type, in bytes.
type extent struct{ size, align int64 }

func (s *sizes) Sizeof(t types.Type) int64  { return s.extent(t).size }
func (s *sizes) Alignof(t types.Type) int64 { return s.extent(t).align }

func (s *sizes) Offsetsof(fields []*types.Var) []int64 {
	return s.of.Offsetsof(s.shallow(fields))
}

func (s *sizes) extent(t types.Type) extent {
	if e, ok := s.known[t]; ok {
		return e
	}
	shallow := t.Underlying()
	switch u := shallow.(type) {
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		shallow = types.NewStruct(s.shallow(fields), nil)
	case *types.Array:
		shallow = types.NewArray(s.stand(u.Elem()), u.Len())
	}
	e := extent{s.of.Sizeof(shallow), s.of.Alignof(shallow)}
	s.known[t] = e
	return e
}

// shallow returns fields of the same sizes and alignments that hold no structs.
func (s *sizes) shallow(fields []*types.Var) []*types.Var {
	out := make([]*types.Var, len(fields))
	for i, f := range fields {
		out[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), s.stand(f.Type()), false)
	}
	return out
}

// stand returns a type of the same size and alignment as t: t itself unless it holds others.
func (s *sizes) stand(t types.Type) types.Type {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return t
	}
	e := s.extent(t)
	for _, unit := range []types.BasicKind{types.Uint8, types.Uint16, types.Uint32, types.Uint64, types.Uintptr} {
		if u := types.Typ[unit]; s.of.Alignof(u) == e.align && e.size%s.of.Sizeof(u) == 0 {
			return types.NewArray(u, e.size/s.of.Sizeof(u))
		}
	}
	return t // no type of Go is aligned like that
}
