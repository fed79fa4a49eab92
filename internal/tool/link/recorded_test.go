package link_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/ptx"
)

const recordings = "../../../testdata/measured"

func probe(t *testing.T, name string) *measured.Probe {
	t.Helper()
	file := filepath.Join(recordings, "probes", name+".ptx")
	text := must.Read(t, file)
	p, err := measured.ParseProbe(file, string(text))
	require.NoError(t, err)
	return p
}

// each calls f with the recordings of a probe by every release.
func each(t *testing.T, name string, f func(t *testing.T, release string, file *measured.File)) {
	t.Helper()
	files := must.Glob(t, filepath.Join(recordings, "cuda-*", name+".txt"))
	require.GreaterOrEqual(t, len(files), 7)
	for _, path := range files {
		text := must.Read(t, path)
		file, err := measured.Parse(string(text))
		require.NoError(t, err)
		release := strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "cuda-")
		t.Run(release, func(t *testing.T) { f(t, release, file) })
	}
}

// refuses reports whether a linker refuses something by what was recorded. The library
// nvJitLink of 12.8 and 12.9 logs an error and goes on, so that what comes out is not to
// be used.
func refuses(s *measured.Section) bool {
	return s.Refusal() != "" || slices.ContainsFunc(s.Notes("said"), func(l string) bool { return strings.HasPrefix(l, "error: ") })
}

// harmful are the codes of what the linkers take and what goes wrong.
var harmful = []diag.Code{check.SilentMismatch, check.LostReturn, link.MisalignedVariable}

// verdict is whether a report says that the linker refuses the files.
func verdict(r *link.Report) bool {
	return slices.ContainsFunc(r.Diags, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && !slices.Contains(harmful, d.Code) || d.Code == check.MissingDefinition
	})
}

func parsed(t *testing.T, name, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.ParseString(name, text)
	require.NoError(t, err)
	return m
}

// TestRecorded: what is said of the modules of the probe, as PTX, is what every linker
// does with the objects made of them, for every architecture. How many registers a
// function takes PTX does not say: TestObjects has those links.
func TestRecorded(t *testing.T) {
	assert.Greater(t, recorded(t, "links"), 9000)
	assert.Greater(t, recorded(t, "bytes"), 500)
}

// laterThan118 reports whether a link is one that 11.8 takes and later releases fail on.
func laterThan118(link, release string) bool {
	return release == "11.8" && strings.HasPrefix(link, "alias-unused")
}

// recorded compares a probe, and returns how many links it has.
func recorded(t *testing.T, name string) int {
	p := probe(t, name)
	links, verdicts := 0, make(map[string]bool) // what is said has nothing to do with the release
	each(t, name, func(t *testing.T, release string, file *measured.File) {
		for i := range file.Sections {
			s := &file.Sections[i]
			if strings.HasPrefix(s.Refusal(), "ptxas: ") || strings.Contains(s.Refusal(), "max regcount") || strings.Contains(strings.Join(s.Notes("said"), "\n"), "max regcount") {
				continue
			}
			if laterThan118(s.Module, release) {
				continue
			}
			l := p.Links[slices.IndexFunc(p.Links, func(l measured.Link) bool { return l.Name == s.Module })]
			for _, target := range s.Targets {
				links++
				key := l.Name + " " + target
				got, done := verdicts[key]
				if !done {
					var set link.Set
					for i, name := range l.Modules {
						file := fmt.Sprintf("%s.%d.ptx", name, i)
						set.AddPTX(link.Place{Name: file, File: file}, parsed(t, file, p.Module(name).For("", target)))
					}
					got = verdict(set.Report(""))
					verdicts[key] = got
				}
				assert.Equal(t, refuses(s), got, "%s for %s", l.Name, target)
			}
		}
	})
	return links
}

// TestJoins holds which architectures' objects go together against the recordings.
func TestJoins(t *testing.T) {
	type pair struct{ object, program string }
	takes := make(map[pair][]bool)
	each(t, "joins", func(t *testing.T, _ string, file *measured.File) {
		var targets []string
		for _, s := range file.Sections {
			targets = append(targets, s.Targets...)
		}
		for _, s := range file.Sections {
			joined := strings.Fields(s.Notes("joins")[0])
			for _, program := range s.Targets {
				for _, object := range targets {
					k := pair{object, program}
					takes[k] = append(takes[k], slices.Contains(joined, object))
				}
			}
		}
	})
	require.Greater(t, len(takes), 400)
	for k, list := range takes {
		want := link.Some
		switch {
		case !slices.Contains(list, true):
			want = link.Refused
		case !slices.Contains(list, false):
			want = link.Taken
		}
		assert.Equal(t, want, link.Joins(k.object, k.program), "%s in a program for %s: %v", k.object, k.program, list)
	}
}

// TestObjects holds what is said of objects against the recordings, where the
// assembler is at hand.
func TestObjects(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	for _, name := range []string{"links", "bytes"} {
		objects(t, tools, name)
	}
}

// objects compares the links of a probe.
func objects(t *testing.T, tools *oracle.Tools, name string) {
	p := probe(t, name)
	each(t, name, func(t *testing.T, release string, file *measured.File) {
		i := slices.IndexFunc(tools.Toolkits, func(k *oracle.Toolkit) bool {
			return fmt.Sprintf("%d.%d", k.Version.Major, k.Version.Minor) == release
		})
		if i < 0 {
			t.Skip("no assembler of this release")
		}
		kit := tools.Toolkits[i]
		targets := []string{"sm_80", "sm_90"}
		if effort.Long() {
			targets = kit.Targets
		}
		for _, target := range targets {
			objects := make(map[string][]byte)
			var err error
			for _, l := range p.Links {
				s := file.Find(l.Name, "-c -O1", target)
				require.NotNil(t, s, l.Name)
				if strings.HasPrefix(s.Refusal(), "ptxas: ") || laterThan118(l.Name, release) {
					continue
				}
				var set link.Set
				for i, name := range l.Modules {
					if objects[name] == nil {
						objects[name], err = kit.Assemble(context.Background(), p.Module(name).For(kit.PTX.String(), target), target)
						require.NoError(t, err)
					}
					f, err := cubin.Open(objects[name])
					require.NoError(t, err)
					file := fmt.Sprintf("%s.%d.cubin", name, i)
					require.NoError(t, set.AddCubin(link.Place{Name: file, File: file}, f))
				}
				r := set.Report("")
				assert.Equal(t, refuses(s), verdict(r), "%s for %s: %v", l.Name, target, r.Diags)
			}
		}
	})
}
