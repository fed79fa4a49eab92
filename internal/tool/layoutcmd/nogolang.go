//go:build explorer

package layoutcmd

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
)

// ReadsGo says whether sources in Go can be read: the explorer's smaller build
// leaves the Go compiler's front end out.
const ReadsGo = false

func beginsLikeGo([]byte) bool { return false }

// loadGo reports that Go is not read.
func (r *Result) loadGo(name string, _ []byte) {
	r.Errors.Add(cdecl.New(cdecl.Pos{File: name}, diag.Error, cdecl.Unsupported, "this build does not read Go"))
}
