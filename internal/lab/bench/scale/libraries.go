package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// drawn is how many texts of a library are compared, and how many of its cubins are held against
// cuobjdump, beside the largest text.
const drawn = 20

// An extract is what a library has.
type extract struct {
	Size    int64    // bytes
	Modules int      // as many as have an entry of their own
	Texts   []string // files with PTX, the largest first
	// Records are the parameters of kernels that were compared with cuobjdump's, Wrong those that
	// are others.
	Records, Wrong int
	Described      described

	file   string
	verify cost // with the largest text
}

// libraries runs verify on each file of a folder, against PTX texts out of the file itself, each as
// it is and with a drift planted in it. The second table is that of the other commands.
func libraries(folder, cuobjdump string, count int) (text, others []byte, ok bool, err error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, false, err
	}
	dir, err := os.MkdirTemp("", "libraries")
	if err != nil {
		return nil, nil, false, err
	}
	defer os.RemoveAll(dir)
	program, err := build(dir, "cmd/ptxabi")
	if err != nil {
		return nil, nil, false, err
	}
	text = fmt.Appendf(nil, "%s, %d cores, the fastest of %d runs.\n\n", runtime.Version(), runtime.NumCPU(), count)
	table := bench.Table{{"library", "MB", "modules", "x.ptx, MB", "seconds", "processor, s", "memory, MB", "lines", "texts", "false alarms", "drifts found", "records", "others"}}
	ok = true
	// Memory is measured before texts are read here: the peak that the system reports for a child is at least its
	// parent's.
	var rows [][]string
	var all []extract
	for i, entry := range list {
		if entry.IsDir() {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		texts := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(texts, 0o777); err != nil {
			return nil, nil, false, err
		}
		x, err := extracted(program, file, texts, cuobjdump)
		if err != nil {
			return nil, nil, false, err
		}
		x.file = file
		if len(x.Texts) > 0 {
			if x.verify, err = fastest(count, program, []string{"verify", file, x.Texts[0]}); err != nil {
				return nil, nil, false, err
			}
		}
		row, err := field(program, x, count)
		if err != nil {
			return nil, nil, false, err
		}
		ok = ok && x.Described.Wrong == 0
		all, rows = append(all, x), append(rows, row)
	}
	for i := range all {
		row, good, err := library(program, &all[i], cuobjdump)
		if err != nil {
			return nil, nil, false, err
		}
		ok = ok && good
		table = append(table, row)
	}
	return append(text, table.Markdown()...), fieldTable(rows), ok, nil
}

// library is the row of one library.
func library(program string, x *extract, cuobjdump string) (row []string, ok bool, err error) {
	file, best := x.file, x.verify
	row = []string{filepath.Base(file), fmt.Sprintf("%.0f", float64(x.Size)/1e6), fmt.Sprint(x.Modules)}
	compared := []string{"", ""}
	if cuobjdump != "" {
		compared = []string{fmt.Sprint(x.Records), fmt.Sprint(x.Wrong)}
	}
	if len(x.Texts) == 0 {
		return append(append(row, "none", "", "", "", "", "0", "", ""), compared...), x.Wrong == 0, nil
	}
	largest := x.Texts[0]
	info, err := os.Stat(largest)
	if err != nil {
		return nil, false, err
	}
	lines, alarms, planted, found := 0, 0, 0, 0
	rng := rand.New(rand.NewPCG(24, 3))
	for _, text := range x.Texts {
		out, status, err := verify(program, file, text)
		if err != nil {
			return nil, false, err
		}
		if text == largest {
			lines = bytes.Count(out, []byte("\n"))
		}
		if status != 0 {
			alarms++
			fmt.Fprintf(os.Stderr, "scale: verify %s %s: exit status %d\n%.2000s\n", file, text, status, out)
		}
		drifted, err := plant(text, rng)
		if err != nil {
			return nil, false, err
		}
		if !drifted {
			continue
		}
		planted++
		if out, status, err = verify(program, file, text); err != nil {
			return nil, false, err
		}
		if status == 1 {
			found++
		} else {
			fmt.Fprintf(os.Stderr, "scale: verify %s: a drift is not found\n%.2000s\n", file, out)
		}
	}
	row = append(row, fmt.Sprintf("%.1f", float64(info.Size())/1e6), fmt.Sprintf("%.1f", best.wall.Seconds()), fmt.Sprintf("%.2f", best.cpu.Seconds()),
		fmt.Sprintf("%.0f", float64(best.peak)/1e6), fmt.Sprint(lines), fmt.Sprint(len(x.Texts)), fmt.Sprint(alarms), fmt.Sprintf("%d of %d", found, planted))
	return append(row, compared...), alarms == 0 && found == planted && x.Wrong == 0, nil
}

// verify runs verify, and returns all that it prints.
func verify(program, file, text string) (out []byte, status int, err error) {
	out, err = exec.Command(program, "verify", file, text).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, exit.ExitCode(), nil
	}
	return out, 0, err
}

// A scalar is a parameter of an entry, with a letter for its kind and its width. The prefix of names
// tells it from a parameter of a function.
var (
	entryHead = regexp.MustCompile(`(?s)\.entry\s+[\w$]+\s*\(.*?\)`)
	scalar    = regexp.MustCompile(`\.param\s+(?:\.align\s+\d+\s+)?\.([busf])(32|64)\s`)
	extent    = regexp.MustCompile(`(\.b8\s+[\w$]+\[)(\d+)\]`)
)

// plant changes the size of one parameter of one kernel in a file with PTX. It is false if no kernel
// has any.
func plant(file string, rng *rand.Rand) (ok bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	var places [][]int // of a width or an extent
	for _, head := range entryHead.FindAllIndex(text, -1) {
		for _, re := range []*regexp.Regexp{scalar, extent} {
			for _, at := range re.FindAllSubmatchIndex(text[head[0]:head[1]], -1) {
				places = append(places, []int{head[0] + at[4], head[0] + at[5]})
			}
		}
	}
	if len(places) == 0 {
		return false, nil
	}
	at := places[rng.IntN(len(places))]
	was, err := strconv.Atoi(string(text[at[0]:at[1]]))
	if err != nil {
		return false, err
	}
	is := was + 8
	switch was {
	case 32:
		is = 64
	case 64:
		is = 32
	}
	return true, os.WriteFile(file, slices.Concat(text[:at[0]], []byte(strconv.Itoa(is)), text[at[1]:]), 0o666)
}

// extracted takes a library apart, in a process of its own: the peak that the system reports for a
// child is at least its parent's.
func extracted(program, file, dir, cuobjdump string) (x extract, err error) {
	self, err := os.Executable()
	if err != nil {
		return x, err
	}
	cmd := exec.Command(self, "-extract", dir, "-libraries", file, "-cuobjdump", cuobjdump, "-program", program)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return x, fmt.Errorf("%s: %w", file, err)
	}
	return x, json.Unmarshal(out, &x)
}

// takeApart writes PTX texts of a library to files, the largest and others by chance, and holds
// cubins against cuobjdump.
func takeApart(program, file, dir, cuobjdump string) (text []byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	images, err := cubin.Images(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	x := extract{Size: int64(len(data))}
	modules := make(map[uint64]bool)
	var ptx, cubins []cubin.Image
	for _, m := range images {
		switch modules[m.Container] = true; m.Kind {
		case cubin.PTX:
			ptx = append(ptx, m)
		case cubin.Cubin:
			cubins = append(cubins, m)
		}
	}
	x.Modules = len(modules)
	if x.Described, err = describe(program, file, images); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(24, 24))
	rng.Shuffle(len(ptx), func(i, j int) { ptx[i], ptx[j] = ptx[j], ptx[i] })
	rng.Shuffle(len(cubins), func(i, j int) { cubins[i], cubins[j] = cubins[j], cubins[i] })
	for i := range ptx {
		if ptx[i].Size > ptx[0].Size {
			ptx[0], ptx[i] = ptx[i], ptx[0]
		}
	}
	for i, m := range ptx[:min(drawn+1, len(ptx))] {
		contents, err := m.Contents()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if !bytes.Contains(contents, []byte(".entry")) && !bytes.Contains(contents, []byte(".func")) {
			continue // nothing to compare, as in what spconv has
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.ptx", i))
		if err := os.WriteFile(name, contents, 0o666); err != nil {
			return nil, err
		}
		x.Texts = append(x.Texts, name)
	}
	if cuobjdump != "" {
		for _, m := range cubins[:min(drawn, len(cubins))] {
			n, wrong, err := records(m, filepath.Join(dir, "x.cubin"), cuobjdump)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			x.Records, x.Wrong = x.Records+n, x.Wrong+wrong
		}
	}
	return json.Marshal(x)
}

var theirs = regexp.MustCompile(`Ordinal : 0x(\w+)\s+Offset\s+: 0x(\w+)\s+Size\s+: 0x(\w+)`)

// records compares the parameters of a cubin's kernels with those that cuobjdump prints.
func records(m cubin.Image, file, cuobjdump string) (n, wrong int, err error) {
	contents, err := m.Contents()
	if err != nil {
		return 0, 0, err
	}
	f, err := cubin.Open(contents)
	if err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(file, contents, 0o666); err != nil {
		return 0, 0, err
	}
	var out []byte
	for _, program := range filepath.SplitList(cuobjdump) { // one of them knows the architecture
		if out, err = exec.Command(program, "-elf", file).Output(); err == nil {
			break
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s, a cubin for %s: %w", cuobjdump, m.Arch, err)
	}
	counts := make(map[string]int) // how often cuobjdump has a record more than there is here
	for _, fn := range f.Functions {
		for _, p := range fn.Params {
			counts[fmt.Sprintf(".nv.info.%s %x %x %x", fn.Name, p.Ordinal, uint16(p.Offset), p.Size)]--
			n++
		}
	}
	section := ""
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		line := in.Text()
		if strings.HasPrefix(line, ".nv") || strings.HasPrefix(line, ".text") {
			section = strings.TrimSpace(line)
		}
		if at := theirs.FindStringSubmatch(line); at != nil {
			var v [3]uint64
			for i := range v {
				if v[i], err = strconv.ParseUint(at[i+1], 16, 64); err != nil {
					return 0, 0, err
				}
			}
			counts[fmt.Sprintf("%s %x %x %x", section, v[0], v[1], v[2])]++
		}
	}
	for record, k := range counts {
		if k != 0 {
			wrong++
			fmt.Fprintf(os.Stderr, "scale: %s: %d more in cuobjdump\n", record, k)
		}
	}
	return n, wrong, in.Err()
}
