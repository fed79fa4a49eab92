package lower_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/oracle"
	"github.com/ptxabi/ptxabi/sass"
)

// recordCallSites measures what ptxas 12.4 makes of all calls that it compiles
// in the order and to the callees that the PTX has.
func recordCallSites(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	var tk *oracle.Toolkit
	for _, k := range tools.Toolkits {
		if k.Version.Major == 12 && k.Version.Minor == 4 {
			tk = k
		}
	}
	if tk == nil {
		t.Skip("ptxas 12.4 is not installed, and nothing else is to be recorded")
	}
	modules := qualityModules(t)
	texts := make([]string, len(modules))
	refused := make([]bool, len(modules))
	var wait sync.WaitGroup
	next := make(chan int)
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				texts[i], refused[i] = theirSites(tk, &modules[i])
			}
		}()
	}
	for i := range modules {
		next <- i
	}
	close(next)
	wait.Wait()
	var out strings.Builder
	fmt.Fprintf(&out, "# What %s makes of calls, -c -O1 -arch %s: module, function, number of the call, callee,\n", tk, qualityTarget)
	out.WriteString("# instructions for bytes, accesses to local memory, copies before the call. PTXABI_RECORD=1 writes it.\n")
	none := 0
	for i := range modules {
		if refused[i] {
			none++
		}
		out.WriteString(texts[i])
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(qualityRecord), 0o755))
	require.NoError(t, os.WriteFile(qualityRecord, []byte(out.String()), 0o644))
	t.Logf("%d of %d modules are not compiled for %s", none, len(modules), qualityTarget)
}

// theirSites returns the lines of a module; none where it is refused.
func theirSites(tk *oracle.Toolkit, m *qualityModule) (text string, refused bool) {
	if len(m.src) > 1<<20 {
		return "", true
	}
	cubin, err := tk.Assemble(context.Background(), m.src, qualityTarget)
	if err != nil {
		return "", true
	}
	listing, err := tk.Disassemble(context.Background(), cubin, qualityTarget)
	if err != nil {
		return "", true
	}
	p, err := sass.Parse(m.name, []byte(listing))
	if err != nil {
		return "", true
	}
	ours, err := sitesOf(m)
	if err != nil {
		return "", true
	}
	var out strings.Builder
	for _, f := range p.Funcs {
		list := callSites(f)
		if !sameCallees(ours[f.Name], list) {
			continue // calls are inlined, dropped or moved
		}
		for i, s := range list {
			callee := s.callee
			if callee == "" {
				callee = "-"
			}
			fmt.Fprintln(&out, m.name, f.Name, i, callee, s.bytes, s.locals, s.moves)
		}
	}
	return out.String(), false
}

func sameCallees(a, b []callSite) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].callee != b[i].callee {
			return false
		}
	}
	return true
}
