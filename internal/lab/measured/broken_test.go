package measured_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
)

// notTried are the fields of a row that are not broken here, with the reason.
var notTried = map[string]string{
	"Name": "names the row", "SM": "names the row", "Suffix": "names the row",
	"Generation":        "documented",
	"Toolkits":          "TestEveryPairIsNamed holds it",
	"AssumedFrom":       "no measured row has it",
	"Passing.First":     "TestBrokenPassingIsNoticed of internal/lab/places",
	"Passing.Count":     "TestBrokenPassingIsNoticed of internal/lab/places",
	"Passing.MaxAlign":  "TestBrokenPassingIsNoticed of internal/lab/places",
	"Passing.MaxResult": "TestBrokenPassingIsNoticed of internal/lab/places",

	"Passing.Preserving.First":   "TestBrokenPreservingIsNoticed of internal/lab/places",
	"Passing.Preserving.Most":    "TestBrokenPreservingIsNoticed of internal/lab/places",
	"Passing.Preserving.Budgets": "TestBrokenPreservingIsNoticed of internal/lab/places",
	"Passing.Preserving.Spare":   "TestBrokenPreservingIsNoticed of internal/lab/places",
	"Passing.Preserving.Top":     "TestBrokenPreservingIsNoticed of internal/lab/places",
}

// unseen says why no recording contradicts a value of a field of a row; "" where
// one has to.
func unseen(t require.TestingT, row *abi.Target, path string, v any) string {
	k := &row.Kernel
	switch path {
	case "Frame.Scratch":
		return "a choice among the caller-saved registers"
	case "Frame.Base", "Frame.KeptSPAlloca":
		if !row.Frame.Alloca {
			return "the assembler refuses alloca: assumed"
		}
	case "Multi.PerBlock":
		if v == machine.Of(row.SM).Multi.PerBlock+1 {
			return "a share of the block is rounded: documented to the last register"
		}
	case "Multi.Registers":
		if v == machine.Of(row.SM).Multi.Registers+1 {
			return "a share of the multiprocessor is rounded: documented to the last register"
		}
	case "Multi.Threads":
		if v == machine.Of(row.SM).Multi.Threads+1 {
			return "threads come in blocks: documented to the last thread"
		}
	case "Spelling.LoadConst.S8", "Spelling.LoadConst.S16":
		if s := v.(string); s != "" && !strings.HasSuffix(s, ".X") || !signedSeen(t, row, path) {
			return "the assembler may extend signs by itself"
		}
	case "Kernel.Dispute":
		if !k.AbsoluteAlign {
			return "without alignments that count from the bank's start there is nothing to dispute"
		}
	case "Kernel.LargeBase", "Kernel.LargeAbsoluteAlign", "Kernel.LargeSince.Major", "Kernel.LargeSince.Minor":
		if k.LargeParams == 0 {
			return "there are no large blocks"
		}
		if strings.HasPrefix(path, "Kernel.LargeSince") && !sinceSeen(t, row) {
			return "all versions that know the target have large blocks: documented"
		}
	}
	return ""
}

// signedSeen reports whether the load of a field was seen in a release's code.
func signedSeen(t require.TestingT, row *abi.Target, path string) bool {
	return slices.ContainsFunc(pairs(t), func(p *pair) bool {
		s := p.file(t, "widths").Find("widths", "-c -O1", row.Name)
		return s != nil && slices.ContainsFunc(matching(s, "c[0x0][0x"), func(line string) bool {
			return strings.Contains(line, " "+field(row, path).String()+" ")
		})
	})
}

// sinceSeen reports whether a release takes PTX of version 8.0 for a target.
func sinceSeen(t require.TestingT, row *abi.Target) bool {
	return slices.ContainsFunc(pairs(t), func(p *pair) bool {
		s := p.file(t, "versions").Find("full-8.0", "-c -O1", row.Name)
		return s != nil && s.Refusal() == ""
	})
}

// inWords are fields with text for people, of which a recording shows only
// whether there is something to say.
var inWords = []string{"Kernel.Dispute", "Kernel.HandleDispute", "Spelling.AddDispute"}

// A failure ends a check that notices something.
type failure struct{ text string }

// A listener takes the place of a test, and ends it with its first failure.
type listener struct{}

func (listener) Errorf(format string, args ...any) { panic(failure{fmt.Sprintf(format, args...)}) }
func (listener) FailNow()                          { panic(failure{"FailNow"}) }

// noticed reports whether a check fails for a pair.
func noticed(check func(require.TestingT, *pair), p *pair) (yes bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(failure); !ok {
				panic(r)
			}
			yes = true
		}
	}()
	check(listener{}, p)
	return false
}

// noticedSomewhere reports whether a check notices a wrong row in the recordings
// of any release of its target.
func noticedSomewhere(all []*pair, row *abi.Target) bool {
	for _, p := range slices.Backward(all) {
		if p.target != row.Name {
			continue
		}
		broken := &pair{p.release, p.target, row}
		if slices.ContainsFunc(checks, func(c func(require.TestingT, *pair)) bool { return noticed(c, broken) }) {
			return true
		}
	}
	return false
}

// fields calls visit for each field of a row that has no fields itself.
func fields(path string, v reflect.Value, visit func(path string, v reflect.Value)) {
	if v.Kind() != reflect.Struct {
		visit(path, v)
		return
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			fields(strings.TrimPrefix(path+"."+f.Name, "."), v.FieldByIndex(f.Index), visit)
		}
	}
}

// A whole is a row with its machine, which is in a table that all share.
type whole struct {
	*abi.Target
	*machine.Machine
}

// field returns the field of a row with a path.
func field(row *abi.Target, path string) reflect.Value {
	v := reflect.ValueOf(whole{row, machine.Of(row.SM)})
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	return v
}

// brokenNoticed reports whether a check notices another value of a field of a row.
func brokenNoticed(all []*pair, row *abi.Target, path string, v any) bool {
	broken := *row
	f := field(&broken, path)
	own := reflect.ValueOf(f.Interface())
	f.Set(reflect.ValueOf(v))
	defer f.Set(own) // all share the machine
	return noticedSomewhere(all, &broken)
}

// steps are values next to that of a field: one more, one less, none.
func steps(v reflect.Value) []any {
	switch x := v.Interface().(type) {
	case bool:
		return []any{!x}
	case int:
		return []any{x + 1, max(x-1, 0), 2 * x, x / 2, 0}
	case string:
		return []any{"", x + ".X"}
	case abi.RegSet:
		list := slices.Collect(x.All())
		if len(list) == 0 {
			return []any{abi.Regs(0), abi.Regs(62)}
		}
		first, last := list[0], list[len(list)-1]
		return []any{
			abi.RegSet{},
			x.Minus(abi.Regs(first)), x.Minus(abi.Regs(last)), x.Minus(abi.Regs(list[len(list)/2])),
			x.Union(abi.Regs(first - 1)), x.Union(abi.Regs(last + 1)),
		}
	}
	if v.CanUint() {
		up, down := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
		up.SetUint((v.Uint() + 1) & 0xff)
		down.SetUint((v.Uint() - 1) & 0xff)
		return []any{up.Interface(), down.Interface()}
	}
	return nil
}

// TestBrokenRowsAreNoticed changes each field of each kind of row, one at a time,
// by a step up, a step down, to nothing, and to what other targets have, and
// requires that a recording contradicts it.
func TestBrokenRowsAreNoticed(t *testing.T) {
	all, rows := pairs(t), abi.Targets()
	for _, row := range rows {
		require.False(t, noticedSomewhere(all, row), "%s as it is", row.Name)
	}
	tried := make(map[string]bool)
	n := 0
	fields("", reflect.ValueOf(whole{rows[0], machine.Of(rows[0].SM)}), func(path string, _ reflect.Value) {
		tried[path] = true
		if notTried[path] != "" {
			return
		}
		part, _, _ := strings.Cut(path, ".")
		var known []any // values of the part whose field was broken already
		for _, row := range rows {
			if p := field(row, part).Interface(); !slices.Contains(known, p) {
				known = append(known, p)
			} else {
				continue
			}
			own := field(row, path)
			values := steps(own)
			require.NotEmpty(t, values, "%s has a kind that no step is known of", path)
			for _, other := range rows {
				values = append(values, field(other, path).Interface())
			}
			var seen []any
			for _, v := range values {
				if v == own.Interface() || slices.Contains(seen, v) {
					continue
				}
				seen = append(seen, v)
				if slices.Contains(inWords, path) && (v == "") == (own.String() == "") {
					continue
				}
				n++
				switch why, found := unseen(t, row, path, v), brokenNoticed(all, row, path, v); {
				case found:
					assert.Empty(t, why, "%s of %s: %v is noticed", path, row.Name, v)
				case why == "":
					t.Errorf("%s of %s: nothing notices %v in place of %v", path, row.Name, v, own.Interface())
				}
			}
		}
	})
	for path := range notTried {
		assert.True(t, tried[path], "no field %s", path)
	}
	t.Logf("%d broken rows", n)
}

// TestPartsOfOthersAreNoticed gives each target the parts of each other one.
func TestPartsOfOthersAreNoticed(t *testing.T) {
	all, rows := pairs(t), abi.Targets()
	n := 0
	for _, row := range rows {
		for _, part := range []string{"Regs", "Kernel", "Spelling", "Frame"} {
			known := []any{field(row, part).Interface()}
			for _, other := range rows {
				v := field(other, part).Interface()
				if slices.Contains(known, v) {
					continue
				}
				known = append(known, v)
				n++
				assert.True(t, brokenNoticed(all, row, part, v), "%s has %s of %s", row.Name, part, other.Name)
			}
		}
	}
	t.Logf("%d broken rows", n)
}
