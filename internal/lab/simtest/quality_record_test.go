package simtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/lower"
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
	target := must.Target(t, qualityTarget)
	texts := make([]string, len(modules))
	none := make([]int, len(modules))
	var wait sync.WaitGroup
	next := make(chan []int)
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for batch := range next {
				none[batch[0]] = measureSites(tk, target, modules, batch, texts)
			}
		}()
	}
	for _, batch := range batches(modules) {
		next <- batch
	}
	close(next)
	wait.Wait()
	var out strings.Builder
	fmt.Fprintf(&out, "# What %s makes of calls, -c -O1 -arch %s: module, function, number of the call, callee,\n", tk, qualityTarget)
	out.WriteString("# instructions for bytes, accesses to local memory, copies before the call. PTXABI_RECORD=1 writes it.\n")
	fmt.Fprintf(&out, "%s%s\n", recordedModules, fingerprint(modules))
	refused := 0
	for i := range modules {
		refused += none[i]
		out.WriteString(texts[i])
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(qualityRecord), 0o755))
	require.NoError(t, os.WriteFile(qualityRecord, []byte(out.String()), 0o644))
	t.Logf("%d of %d modules are not compiled for %s", refused, len(modules), qualityTarget)
}

// recordedModules begins the line of the record that says which texts it is of.
const recordedModules = "# SHA-256 of the modules: "

// fingerprint is a hash of a list of modules.
func fingerprint(modules []qualityModule) string {
	sum := sha256.New()
	for i := range modules {
		fmt.Fprintf(sum, "%s %d\n%s", modules[i].name, len(modules[i].src), modules[i].src)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// batches returns which modules are compiled together: up to a hundred of the
// random ones, as the programs take far longer to start than to compile a call.
func batches(modules []qualityModule) [][]int {
	const most = 100
	var list [][]int
	var batch []int
	for i := range modules {
		if modules[i].random == nil {
			list = append(list, []int{i})
			continue
		}
		if batch = append(batch, i); len(batch) == most {
			list, batch = append(list, batch), nil
		}
	}
	if len(batch) > 0 {
		list = append(list, batch)
	}
	return list
}

// measureSites sets the lines of the modules of a batch, in texts, and returns
// how many of them are refused. Where a batch is, its halves are compiled.
func measureSites(tk *oracle.Toolkit, t *abi.Target, modules []qualityModule, batch []int, texts []string) (refused int) {
	m := modules[batch[0]]
	if m.random != nil {
		callers := make([]string, len(batch))
		for n, i := range batch {
			callers[n] = modules[i].random(fmt.Sprint("k", i), fmt.Sprint("f", i))
		}
		m.src = callersSource(t, callers...)
	}
	sites, err := theirSites(tk, &m)
	switch {
	case err != nil && len(batch) == 1:
		return 1
	case err != nil:
		n := len(batch) / 2
		return measureSites(tk, t, modules, batch[:n], texts) + measureSites(tk, t, modules, batch[n:], texts)
	case m.random == nil:
		for _, f := range sites {
			texts[batch[0]] += siteLines(m.name, f.name, f.sites)
		}
		return 0
	}
	for _, f := range sites {
		i, err := strconv.Atoi(strings.TrimPrefix(f.name, "k"))
		if err != nil {
			continue
		}
		for n := range f.sites {
			f.sites[n].callee = "f"
		}
		texts[i] = siteLines(modules[i].name, "k", f.sites)
	}
	return 0
}

func siteLines(module, function string, list []callSite) string {
	var out strings.Builder
	for i, s := range list {
		fmt.Fprintln(&out, module, function, i, cmp.Or(s.callee, "-"), s.bytes, s.locals, s.moves)
	}
	return out.String()
}

// funcSites are the calls of a function.
type funcSites struct {
	name  string
	sites []callSite
}

// theirSites returns the calls of a module's functions, of those where ptxas
// has the calls that are lowered; an error where it refuses the module.
func theirSites(tk *oracle.Toolkit, m *qualityModule) ([]funcSites, error) {
	if len(m.src) > 1<<20 {
		return nil, fmt.Errorf("%s is too large", m.name)
	}
	cubin, err := tk.Assemble(context.Background(), m.src, qualityTarget)
	if err != nil {
		return nil, err
	}
	listing, err := tk.Disassemble(context.Background(), cubin, qualityTarget)
	if err != nil {
		return nil, err
	}
	p, err := sass.Parse(m.name, []byte(listing))
	if err != nil {
		return nil, err
	}
	ours, err := sitesOf(m, lower.Options{})
	if err != nil {
		return nil, err
	}
	var list []funcSites
	for _, f := range p.Funcs {
		if sites := callSites(f); sameCallees(ours[f.Name], sites) {
			list = append(list, funcSites{f.Name, sites}) // elsewhere calls are inlined, dropped or moved
		}
	}
	return list, nil
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
