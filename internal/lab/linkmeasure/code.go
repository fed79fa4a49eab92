package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

// codes compares the frames of random programs, as "ptxabi stack" finds them in the
// disassembly of objects and of what was linked, with those that are recorded.
func codes(ctx context.Context, _ *oracle.Tools, l *linker, j job) (string, int, error) {
	dir, err := os.MkdirTemp("", "code-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	listings, functions, kernels, differ := 0, 0, 0, 0
	targets := l.targets(j.target)
	for i := range j.n {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		target := targets[i%len(targets)]
		p := randomProgram(rand.New(rand.NewPCG(j.seed, uint64(i))))
		var files []string
		for k, text := range p.files {
			object, err := l.assemble(filepath.Join(dir, fmt.Sprint(k)), head(l, target)+text, target, p.level)
			if errors.Is(err, errCrash) {
				continue
			}
			if err != nil {
				return "", 0, fmt.Errorf("program %d for %s: %w", i, target, err)
			}
			files = append(files, object)
		}
		if linked, _, err := l.join(dir, target, files); err == nil && linked != "" {
			files = append(files, linked)
		}
		for _, file := range files {
			n, whole, d, err := l.code(ctx, file, target)
			if err != nil {
				return "", 0, fmt.Errorf("program %d for %s: %w", i, target, err)
			}
			listings, functions, kernels = listings+1, functions+n, kernels+whole
			if d != "" {
				differ++
				fmt.Printf("seed %d, program %d for %s, %s: %s\n", j.seed, i, target, filepath.Base(file), d)
			}
		}
	}
	return fmt.Sprintf("%d listings, %d functions, %d kernels of linked programs", listings, functions, kernels), differ, nil
}

// code compares the frames of a cubin with those of its disassembly; of one that is linked,
// what its kernels call by name too.
func (l *linker) code(ctx context.Context, file, target string) (functions, kernels int, differs string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, "", err
	}
	f, err := cubin.Open(data)
	if err != nil {
		return 0, 0, "", err
	}
	text, err := l.Disassemble(ctx, data, target)
	if err != nil {
		return 0, 0, "", err
	}
	var set, records link.Set
	if err := set.AddListing(link.Place{Name: "code", File: "code"}, text, target); err != nil {
		return 0, 0, "", err
	}
	if err := records.AddCubin(link.Place{Name: "cubin", File: "cubin"}, f); err != nil {
		return 0, 0, "", err
	}
	programs := set.Programs("")
	if len(programs) != 1 {
		return 0, 0, "", fmt.Errorf("%d programs", len(programs))
	}
	byName := make(map[string]*link.Func)
	for _, fn := range programs[0].Funcs {
		byName[fn.Name] = fn
	}
	for i := range f.Functions {
		fn := &f.Functions[i]
		if fn.Size == 0 || fn.FrameSize < 0 {
			continue
		}
		got := byName[fn.Name]
		switch {
		case got == nil:
			return 0, 0, fmt.Sprintf("no %s in the code", fn.Name), nil
		case got.Frame != fn.FrameSize || got.Dynamic:
			return 0, 0, fmt.Sprintf("%s: %d bytes in the code, dynamic %v; %d recorded\n%s", fn.Name, got.Frame, got.Dynamic, fn.FrameSize, text), nil
		case got.Kernel != fn.Kernel:
			return 0, 0, fmt.Sprintf("%s: a kernel %v in the code, %v recorded", fn.Name, got.Kernel, fn.Kernel), nil
		}
		functions++
	}
	if !f.Linked {
		return functions, 0, "", nil
	}
	code, recorded := stack.Of(programs, 0), stack.Of(records.Programs(""), 0)
	for _, c := range code.Programs {
		for _, k := range c.Kernels {
			for _, r := range recorded.Programs {
				for _, o := range r.Kernels {
					if o.Name != k.Name {
						continue
					}
					if len(o.Pointers) > 0 && k.Bytes <= o.Bytes && len(k.Pointers) > 0 { // what pointers lead to is not in the code
						continue
					}
					if k.Bytes != o.Bytes || k.Bound != o.Bound {
						return 0, 0, fmt.Sprintf("kernel %s: %d bytes, %s in the code; %d, %s recorded", k.Name, k.Bytes, k.Bound, o.Bytes, o.Bound), nil
					}
					kernels++
				}
			}
		}
	}
	return functions, kernels, "", nil
}
