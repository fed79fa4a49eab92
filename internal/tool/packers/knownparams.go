package packers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
)

// knownParams are the names and the types of a kernel's parameters by its source, or by debug information; nil where
// there is neither.
type knownParams []verify.Known

// name is the name of a parameter, or else another one.
func (k knownParams) name(i int, otherwise string) string {
	if i < len(k) && k[i].Name != "" {
		return k[i].Name
	}
	return otherwise
}

// expand numbers the parameters of a pack, where a kernel has n parameters.
func (k knownParams) expand(n int) knownParams {
	at := slices.IndexFunc(k, func(p verify.Known) bool { return strings.HasPrefix(p.Name, "...") })
	if size := n - len(k) + 1; at >= 0 && size >= 0 {
		pack := make(knownParams, size)
		for i := range pack {
			pack[i].Name = k[at].Name[len("..."):] + strconv.Itoa(i)
		}
		return slices.Concat(k[:at], pack, k[at+1:])
	}
	return k
}

// A sourceKernel is a kernel in the source of a module or a cubin.
type sourceKernel struct {
	symbol, name string // the symbol is "" where it is not known
	params       knownParams
}

// known finds out about the parameters of a kernel.
func (g *generator) known(c *callable, sizes []int64, debug *verify.Debug) knownParams {
	f := &cubin.Function{Name: c.symbol, Params: each(sizes, func(n int64) cubin.Param { return cubin.Param{Size: int(n)} })}
	if g.Names == "" {
		return debug.Params(f)
	}
	var found []knownParams
	for _, k := range g.source {
		params := k.params.expand(len(sizes))
		switch own := k.symbol != "" && k.symbol == c.symbol; {
		case len(params) != len(sizes):
		case own:
			return params
		case k.symbol == "" && (k.name == c.plain || k.name[strings.LastIndex(k.name, ":")+1:] == c.symbol):
			found = append(found, params)
		}
	}
	why := fmt.Sprintf("has no kernel %s with %s", c.plain, prose.Count(len(sizes), "parameter"))
	if len(found) > 0 {
		same := func(other knownParams) bool { return slices.Equal(found[0], other) }
		if !slices.ContainsFunc(found, func(k knownParams) bool { return !same(k) }) {
			return found[0]
		}
		why = fmt.Sprintf("has several kernels %s with %s", c.plain, prose.Count(len(sizes), "parameter"))
	}
	if g.Warn != nil && len(sizes) > 0 {
		at := c.at
		at.File = g.shown(at.File)
		g.Warn(cdecl.New(at, diag.Warning, unknownName, "%s %s, whose names these parameters could have", g.Names, why))
	}
	return debug.Params(f)
}

// readNames reads the source of a module or a cubin.
func (g *generator) readNames() error {
	if g.Names == "" {
		return nil
	}
	u, err := g.parseC(g.Names)
	if err != nil {
		return err
	}
	in := &cInput{g: g, unit: u, lang: g.language(g.Names)}
	for _, f := range u.Funcs {
		if !f.Kernel {
			continue
		}
		k := sourceKernel{symbol: in.symbol(f), name: f.Name}
		for _, p := range f.Params {
			text := ""
			if !guessed(p.Type) {
				text = cdecl.TypeText(layout.Unalias(p.Type), layout.CXX)
			}
			k.params = append(k.params, verify.Known{Name: p.Name, Type: text})
		}
		g.source = append(g.source, k)
	}
	for _, t := range slices.Concat(u.Templates, u.Unread) {
		k := sourceKernel{name: t.Name}
		for _, name := range t.Params {
			k.params = append(k.params, verify.Known{Name: name})
		}
		g.source = append(g.source, k)
	}
	return nil
}
