package adapt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// mostNames is how many functions are named where one is to be chosen.
const mostNames = 10

// ParseHidden reads a list of hidden parameters.
func ParseHidden(list string) (out []Hidden, err error) {
	if list == "" {
		return nil, nil
	}
	for _, one := range strings.Split(list, ",") {
		typ, value, has := strings.Cut(strings.TrimSpace(one), "=")
		h := Hidden{Type: ptx.TypeOf("." + typ)}
		if size := h.Type.Size(); size != 4 && size != 8 {
			return nil, fmt.Errorf("%q is not a type of a hidden parameter; use b32, b64, f32 or f64", typ)
		}
		if has && (h.Type == ptx.F32 || h.Type == ptx.F64) {
			u, err := floatBits(value, h.Type)
			if err != nil {
				return nil, err
			}
			h.Value = &u
		} else if has {
			u, negative, err := parseBits(value)
			if err != nil {
				return nil, fmt.Errorf("%q is not a number of 64 bits", value)
			}
			if h.Type.Size() == 4 {
				if u > 1<<32-1 && !negative || negative && int64(u) < -1<<31 {
					return nil, fmt.Errorf("%s does not fit into %s", value, typ)
				}
				u &= 1<<32 - 1
			}
			h.Value = &u
		}
		out = append(out, h)
	}
	return out, nil
}

// parseBits are the 64 bits of an integer with a sign or without, and whether it is negative.
func parseBits(text string) (u uint64, negative bool, err error) {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return uint64(v), v < 0, nil
	}
	u, err = strconv.ParseUint(text, 0, 64)
	return u, false, err
}

// floatBits are the bits of a number of a type.
func floatBits(value string, t ptx.Type) (uint64, error) {
	v, err := strconv.ParseFloat(value, t.Size()*8)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of %s", value, t)
	}
	if t == ptx.F32 {
		return uint64(math.Float32bits(float32(v))), nil
	}
	return math.Float64bits(v), nil
}

// Choose returns the function of a header that a name means, as it is declared or as the linker has it; "" is the only one.
func Choose(file string, u *cdecl.Unit, lang layout.Lang, name string) (*cdecl.FuncDecl, error) {
	var all []*cdecl.FuncDecl
	var names, symbols []string
	for _, f := range u.Funcs {
		if f.System || f.Kernel && name == "" {
			continue
		}
		names = append(names, f.Name)
		symbol, known := layoutcmd.LinkerName(f, lang)
		if name == "" || f.Name == name || known && symbol == name {
			all = append(all, f)
			symbols = append(symbols, symbol)
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no function prototype in it", file)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: no function %q%s", file, name, near.Suggest(name, names))
	case len(all) > 1 && name != "":
		return nil, fmt.Errorf("%s: %d functions are named %s; choose one by its linker name with -func: %s", file, len(all), name, strings.Join(slices.DeleteFunc(symbols, func(s string) bool { return s == "" }), ", "))
	case len(all) > 1:
		return nil, fmt.Errorf("%s: %d functions; choose one with -func: %s", file, len(all), strings.Join(names, ", "))
	}
	return all[0], nil
}

// Declared returns the function of a module that a name means, or the only one that is
// likely where there is none.
func Declared(m *ptx.Module, file, name, flag string, likely func(*ptx.Func) bool) (*ptx.Func, error) {
	var names []string
	var found *ptx.Func
	likelies, seen := 0, make(map[string]bool)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || f.Entry {
			continue
		}
		if name == f.Name {
			return f, nil
		}
		if !seen[f.Name] {
			seen[f.Name] = true
			names = append(names, f.Name)
		}
		if likely(f) {
			likelies++
		}
		if likely(f) || len(names) == 1 && likelies == 0 {
			found = f
		}
	}
	switch {
	case name != "":
		return nil, fmt.Errorf("%s: no function %q%s", file, name, near.Suggest(name, names))
	case likelies == 1, len(names) == 1:
		return found, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no function in it; kernels are not called", file)
	}
	if len(names) > mostNames {
		names = append(names[:mostNames:mostNames], fmt.Sprintf("and %d more", len(names)-mostNames))
	}
	return nil, fmt.Errorf("%s: choose a function with %s: %s", file, flag, strings.Join(names, ", "))
}

// Called returns which function of the caller's module is meant by a name: the one of that name or, where
// there is none, the one that the callee's has.
func Called(m *ptx.Module, name, callee string) string {
	if name == "" {
		return ""
	}
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.Name == name {
			return name
		}
	}
	return callee
}

// Placed names the file that a diagnostic about a declaration is in.
func Placed(list diag.List, caller, callee string) diag.List {
	for _, d := range list {
		if d.File == "" && d.Pos.IsValid() {
			if d.File = callee; strings.HasPrefix(d.Msg, "caller") {
				d.File = caller
			}
		}
	}
	return list
}

// Names refuses what is no name of a function in PTX.
func Names(names ...string) error {
	for _, n := range names {
		if n == "WARP_SZ" {
			return fmt.Errorf("WARP_SZ is a constant of PTX, not a function name")
		}
		if n != layoutcmd.Identifier(n) || n == "" || n == "$" || n[0] >= '0' && n[0] <= '9' {
			return fmt.Errorf("%s is not a function name in PTX", strconv.Quote(n))
		}
	}
	return nil
}
