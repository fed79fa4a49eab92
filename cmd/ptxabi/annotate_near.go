package main

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/sass"
)

// nameless warns of the functions of a listing of which the PTX module says
// nothing: the listing may be of another one, and their values have the names of
// places. What the assembler adds by itself no module has.
type nameless struct {
	e       env
	listing string
	ptx     string   // the module's file
	names   []string // of its functions
	count   int
}

// function warns of a function without names.
func (n *nameless) function(name string) {
	if sass.Helper(name) {
		return
	}
	if n.count++; n.count <= maxReported {
		n.e.tell(diag.Warning, n.ptx, 0, "it has no function %s, which %s lists: its values have the names of their places%s", name, n.listing, verify.Like(name, n.names))
	}
}

// end says how many more there were.
func (n *nameless) end() {
	n.e.more(n.ptx, n.count-maxReported)
}

// unmatched warns where a listing has none of the kernels that a source declares,
// and of those that may be several of the listing's. The matches are by kernel.
func unmatched(e env, src *source, kernels []*layoutcmd.Kernel, matches [][]string, listed []string) {
	some := false
	var names []string
	for i, k := range kernels {
		names = append(names, k.Name)
		if some = some || len(matches[i]) > 0; len(matches[i]) > 1 {
			e.tell(diag.Warning, src.name, k.Pos.Line, "%s may mean any of %s, so that the parameters of none are named", k.Name, strings.Join(matches[i], ", "))
		}
	}
	if some || len(kernels) == 0 {
		return
	}
	like := ""
	for _, name := range names {
		if like == "" {
			like = verify.Like(name, listed)
		}
	}
	more := ""
	if len(names) > maxReported {
		more = fmt.Sprintf(" and %d more", len(names)-maxReported)
		names = names[:maxReported]
	}
	e.tell(diag.Warning, src.name, 0, "the listing has none of its kernels: %s%s%s", strings.Join(names, ", "), more, like)
}
