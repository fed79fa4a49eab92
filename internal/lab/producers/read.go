package producers

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

var wordPattern = regexp.MustCompile(`[A-Za-z_]\w*`)

// A Head is how a function is declared, or what is declared around a call of it.
type Head struct{ Results, Params []string }

// String is "(.b32) (.b64, .align 4 .b8[12])"; without results it begins with "()".
func (h Head) String() string {
	return "(" + strings.Join(h.Results, ", ") + ") (" + strings.Join(h.Params, ", ") + ")"
}

// form is the declaration without its name; that of a register begins with its state space.
func form(s ptx.Spec, v ptx.Var) string {
	var parts []string
	if s.Space != ptx.ParamSpace {
		parts = append(parts, s.Space.String())
	}
	if s.AlignPos.IsValid() {
		parts = append(parts, fmt.Sprintf(".align %d", s.Align))
	}
	typ := s.Type.String()
	for _, d := range v.Dims {
		if d == ptx.NoExtent {
			typ += "[]"
		} else {
			typ += fmt.Sprintf("[%d]", d)
		}
	}
	return strings.Join(append(parts, typ), " ")
}

func forms(list []ptx.Formal) []string {
	var all []string
	for _, f := range list {
		all = append(all, form(f.Spec, f.Var))
	}
	return all
}

// Heads are the declarations of functions in a module, by their names.
type Heads struct {
	Defined, Declared, Called, Kernels map[string]Head
}

// ReadHeads reads a module. The error is of its syntax.
func ReadHeads(text string) (*Heads, error) {
	m, err := ptx.ParseString("k.ptx", text)
	if err != nil {
		return nil, err
	}
	h := &Heads{map[string]Head{}, map[string]Head{}, map[string]Head{}, map[string]Head{}}
	for _, item := range m.Items {
		f, ok := item.(*ptx.Func)
		if !ok {
			continue
		}
		head := Head{forms(f.Results), forms(f.Params)}
		switch {
		case f.Entry:
			h.Kernels[f.Name] = head
		case f.HasBody:
			h.Defined[f.Name] = head
		default:
			h.Declared[f.Name] = head
		}
		h.calls(f)
	}
	return h, nil
}

// calls notes what stands around the calls of a body.
func (h *Heads) calls(f *ptx.Func) {
	vars := map[string]string{}
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Decl:
			for _, v := range s.Vars {
				vars[v.Name] = form(s.Spec, v)
				for i := range v.Count {
					vars[fmt.Sprintf("%s%d", v.Name, i)] = form(s.Spec, v)
				}
			}
		case *ptx.Call:
			of := func(list []ptx.Operand) []string {
				var all []string
				for i := range list {
					all = append(all, cmp.Or(vars[list[i].Text], "?"))
				}
				return all
			}
			h.Called[s.Callee.Text] = Head{of(s.Results), of(s.Params)}
		}
	}
}

// roles are the declarations of a case in the module, by "argument define" and so on.
func (h *Heads) roles(c Case) map[string]Head {
	all := map[string]Head{}
	put := func(key string, from map[string]Head, name string) {
		for n, head := range from {
			if strings.Contains(n, name+"_Z") { // names of internal functions are mangled
				all[key] = head
			}
		}
	}
	for _, what := range []struct{ key, letter string }{{"argument ", "a"}, {"result ", "r"}} {
		put(what.key+"define", h.Defined, what.letter+"d_"+c.Name)
		put(what.key+"declare", h.Declared, what.letter+"e_"+c.Name)
		put(what.key+"call", h.Called, what.letter+"e_"+c.Name)
		put(what.key+"internal", h.Defined, what.letter+"i_"+c.Name)
		put(what.key+"internal call", h.Called, what.letter+"i_"+c.Name)
	}
	put("kernel argument", h.Kernels, "k_"+c.Name)
	return all
}
