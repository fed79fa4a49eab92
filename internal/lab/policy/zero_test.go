package policy_test

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/frame"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// functions are the exported functions of the public packages.
var functions = map[string]any{
	"abi.Explain":                     abi.Explain,
	"abi.Assign":                      abi.Assign,
	"abi.RegRange":                    abi.RegRange,
	"abi.Regs":                        abi.Regs,
	"abi.Rules":                       abi.Rules,
	"abi.ParseSignature":              abi.ParseSignature,
	"abi.Assume":                      abi.Assume,
	"abi.Lookup":                      abi.Lookup,
	"abi.Targets":                     abi.Targets,
	"abi/abitest.CheckPlaces":         abitest.CheckPlaces,
	"abi/abitest.ParamName":           abitest.ParamName,
	"abi/abitest.Corpus":              abitest.Corpus,
	"abi/abitest.DialectOf":           abitest.DialectOf,
	"abi/abitest.ComparePlaces":       abitest.ComparePlaces,
	"abi/abitest.Random":              abitest.Random,
	"check.Bodies":                    check.Bodies,
	"check.Codes":                     check.Codes,
	"check.Link":                      check.Link,
	"check.Module":                    check.Module,
	"check.Outline":                   check.Outline,
	"check.Source":                    check.Source,
	"check.Text":                      check.Text,
	"check.Explain":                   check.Explain,
	"diag.Place":                      diag.Place,
	"diag.Printable":                  diag.Printable,
	"diag.PrintableLines":             diag.PrintableLines,
	"diag.Apply":                      diag.Apply,
	"diag.ParseSeverity":              diag.ParseSeverity,
	"diag.NewText":                    diag.NewText,
	"layout.ProducerNames":            layout.ProducerNames,
	"layout.Of":                       layout.Of,
	"layout.ParseProducer":            layout.ParseProducer,
	"layout.TailOf":                   layout.TailOf,
	"layout.Unalias":                  layout.Unalias,
	"lower.Functions":                 lower.Functions,
	"lower.Module":                    lower.Module,
	"lower.Reserved":                  lower.Reserved,
	"lower.Temporaries":               lower.Temporaries,
	"lower.Write":                     lower.Write,
	"lower.WriteOutline":              lower.WriteOutline,
	"lower.Passes":                    lower.Passes,
	"lower.Stages":                    lower.Stages,
	"lower/frame.Add":                 frame.Add,
	"lower/frame.Address":             frame.Address,
	"lower/frame.Align":               frame.Align,
	"lower/frame.New":                 frame.New,
	"lower/lowertest.CheckListings":   lowertest.CheckListings,
	"lower/lowertest.Module":          lowertest.Module,
	"lower/lowertest.Modules":         lowertest.Modules,
	"lower/lowertest.Programs":        lowertest.Programs,
	"lower/lowertest.CheckAllocation": lowertest.CheckAllocation,
	"lower/lowertest.Compare":         lowertest.Compare,
	"ptx.AppendStmt":                  ptx.AppendStmt,
	"ptx.AppendTokens":                ptx.AppendTokens,
	"ptx.Names":                       ptx.Names,
	"ptx.ReplaceNames":                ptx.ReplaceNames,
	"ptx.TextNames":                   ptx.TextNames,
	"ptx.Directives":                  ptx.Directives,
	"ptx.LookupDirective":             ptx.LookupDirective,
	"ptx.ParseFormal":                 ptx.ParseFormal,
	"ptx.Parse":                       ptx.Parse,
	"ptx.ParseString":                 ptx.ParseString,
	"ptx.ParseConstant":               ptx.ParseConstant,
	"ptx.ParseOperands":               ptx.ParseOperands,
	"ptx.ParseOutline":                ptx.ParseOutline,
	"ptx.TypeOf":                      ptx.TypeOf,
	"ptx/dataflow.Known":              dataflow.Known,
	"ptx/dataflow.Rename":             dataflow.Rename,
	"ptx/dataflow.New":                dataflow.New,
	"ptx/dataflow.Operands":           dataflow.Operands,
	"resolve.AliasNames":              resolve.AliasNames,
	"resolve.Values":                  resolve.Values,
	"resolve.CallTable":               resolve.CallTable,
	"resolve.Params":                  resolve.Params,
	"resolve.ParamsInBody":            resolve.ParamsInBody,
	"resolve.Preserve":                resolve.Preserve,
	"resolve.Target":                  resolve.Target,
	"resolve.Value":                   resolve.Value,
	"resolve.ArchOf":                  resolve.ArchOf,
	"resolve.ParseArch":               resolve.ParseArch,
	"resolve.AssignAll":               resolve.AssignAll,
	"resolve.Functions":               resolve.Functions,
	"resolve.NewFunction":             resolve.NewFunction,
	"resolve.NewPrototype":            resolve.NewPrototype,
	"resolve.NewOutlineTable":         resolve.NewOutlineTable,
	"resolve.NewTable":                resolve.NewTable,
	"sass.Const":                      sass.Const,
	"sass.Imm":                        sass.Imm,
	"sass.Mem":                        sass.Mem,
	"sass.Pred":                       sass.Pred,
	"sass.Register":                   sass.Register,
	"sass.Symbol":                     sass.Symbol,
	"sass.Uniform":                    sass.Uniform,
	"sass.Virtual":                    sass.Virtual,
	"sass.Parse":                      sass.Parse,
	"sass.NewReader":                  sass.NewReader,
}

// receivers are their types that have methods.
var receivers = []reflect.Type{
	reflect.TypeFor[abi.Assignment](),
	reflect.TypeFor[abi.Code](),
	reflect.TypeFor[abi.ConstAddr](),
	reflect.TypeFor[abi.Error](),
	reflect.TypeFor[abi.ErrorList](),
	reflect.TypeFor[abi.Fact](),
	reflect.TypeFor[abi.FuncKind](),
	reflect.TypeFor[abi.Grade](),
	reflect.TypeFor[abi.Kind](),
	reflect.TypeFor[abi.Loc](),
	reflect.TypeFor[abi.LocKind](),
	reflect.TypeFor[abi.LocalOp](),
	reflect.TypeFor[abi.Piece](),
	reflect.TypeFor[abi.Placement](),
	reflect.TypeFor[abi.RegFile](),
	reflect.TypeFor[abi.RegSet](),
	reflect.TypeFor[abi.Signature](),
	reflect.TypeFor[abi.SyntaxError](),
	reflect.TypeFor[abi.SyntaxErrorList](),
	reflect.TypeFor[abi.Target](),
	reflect.TypeFor[abi.UnknownTargetError](),
	reflect.TypeFor[abi.UnmeasuredError](),
	reflect.TypeFor[abi.Value](),
	reflect.TypeFor[abi.Version](),
	reflect.TypeFor[abitest.Disagreement](),
	reflect.TypeFor[abitest.Formal](),
	reflect.TypeFor[abitest.Function](),
	reflect.TypeFor[diag.Diagnostic](),
	reflect.TypeFor[diag.List](),
	reflect.TypeFor[diag.Pos](),
	reflect.TypeFor[diag.Printer](),
	reflect.TypeFor[diag.Severity](),
	reflect.TypeFor[diag.Text](),
	reflect.TypeFor[layout.Alias](),
	reflect.TypeFor[layout.Array](),
	reflect.TypeFor[layout.Enum](),
	reflect.TypeFor[layout.Error](),
	reflect.TypeFor[layout.Func](),
	reflect.TypeFor[layout.Layout](),
	reflect.TypeFor[layout.Leaf](),
	reflect.TypeFor[layout.Member](),
	reflect.TypeFor[layout.Memo](),
	reflect.TypeFor[layout.Param](),
	reflect.TypeFor[layout.Pointer](),
	reflect.TypeFor[layout.Producer](),
	reflect.TypeFor[layout.Qualified](),
	reflect.TypeFor[layout.Record](),
	reflect.TypeFor[layout.RecordKind](),
	reflect.TypeFor[layout.Rules](),
	reflect.TypeFor[layout.Scalar](),
	reflect.TypeFor[layout.Vector](),
	reflect.TypeFor[frame.Frame](),
	reflect.TypeFor[lowertest.AllocationReport](),
	reflect.TypeFor[lowertest.Coverage](),
	reflect.TypeFor[lowertest.Difference](),
	reflect.TypeFor[lowertest.Misplaced](),
	reflect.TypeFor[lowertest.Options](),
	reflect.TypeFor[lowertest.Report](),
	reflect.TypeFor[lowertest.ListingsReport](),
	reflect.TypeFor[ptx.Access](),
	reflect.TypeFor[ptx.Close](),
	reflect.TypeFor[ptx.Decl](),
	reflect.TypeFor[ptx.Directive](),
	reflect.TypeFor[ptx.Formal](),
	reflect.TypeFor[ptx.Func](),
	reflect.TypeFor[ptx.Instr](),
	reflect.TypeFor[ptx.Label](),
	reflect.TypeFor[ptx.Linkage](),
	reflect.TypeFor[ptx.Module](),
	reflect.TypeFor[ptx.Open](),
	reflect.TypeFor[ptx.Operand](),
	reflect.TypeFor[ptx.Outline](),
	reflect.TypeFor[ptx.Prototype](),
	reflect.TypeFor[ptx.Raw](),
	reflect.TypeFor[ptx.Reader](),
	reflect.TypeFor[ptx.Space](),
	reflect.TypeFor[ptx.Spec](),
	reflect.TypeFor[ptx.TargetList](),
	reflect.TypeFor[ptx.Type](),
	reflect.TypeFor[ptx.Var](),
	reflect.TypeFor[ptx.Version](),
	reflect.TypeFor[dataflow.Function](),
	reflect.TypeFor[dataflow.Lifetime](),
	reflect.TypeFor[dataflow.Liveness](),
	reflect.TypeFor[dataflow.Operand](),
	reflect.TypeFor[dataflow.Register](),
	reflect.TypeFor[resolve.Arch](),
	reflect.TypeFor[resolve.Assigned](),
	reflect.TypeFor[resolve.CallSite](),
	reflect.TypeFor[resolve.Function](),
	reflect.TypeFor[resolve.Kind](),
	reflect.TypeFor[resolve.Table](),
	reflect.TypeFor[sass.Func](),
	reflect.TypeFor[sass.Instr](),
	reflect.TypeFor[sass.Item](),
	reflect.TypeFor[sass.Operand](),
	reflect.TypeFor[sass.Program](),
	reflect.TypeFor[sass.Reader](),
}

// zeros are zero values for the parameters of a function from one on, without those that may be left out.
func zeros(f reflect.Type, from int) (args []reflect.Value) {
	for i := from; i < f.NumIn(); i++ {
		if f.IsVariadic() && i == f.NumIn()-1 {
			break
		}
		arg := reflect.Zero(f.In(i))
		if arg.Type() == reflect.TypeFor[io.Writer]() {
			arg = reflect.ValueOf(io.Discard)
		}
		args = append(args, arg)
	}
	return args
}

// TestZero holds that functions do not panic for nil and for pointers to zero values, and that methods do not for those, but for
// those of what is embedded. What is returned as a sequence is read.
func TestZero(t *testing.T) {
	calls := 0
	call := func(name string, f reflect.Value, args ...reflect.Value) {
		calls++
		defer func() {
			if r := recover(); r != nil {
				stack := string(debug.Stack())
				at := regexp.MustCompile(`/ptxabi/[^ ]*|[a-z/]+/\w+\.go:\d+`).FindString(stack[strings.LastIndex(stack, "panic"):])
				t.Errorf("%s panics: %v (%s)", name, r, at)
			}
		}()
		for _, out := range f.Call(args) {
			if typ := out.Type(); typ.Kind() == reflect.Func && typ.NumIn() == 1 && typ.NumOut() == 0 && !out.IsNil() && typ.In(0).Kind() == reflect.Func { // a sequence
				yes := reflect.MakeFunc(typ.In(0), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })
				out.Call([]reflect.Value{yes})
			}
		}
	}
	all := func(name string, f reflect.Value, args ...reflect.Value) {
		args = append(args, zeros(f.Type(), len(args))...)
		call(name+" of zeros", f, args...)
		pointers := args[:0:0]
		for _, a := range args {
			if a.Kind() == reflect.Pointer && a.IsNil() {
				a = reflect.New(a.Type().Elem())
			}
			pointers = append(pointers, a)
		}
		call(name+" of pointers to zeros", f, pointers...)
	}
	for name, f := range functions {
		all(name, reflect.ValueOf(f))
	}
	for _, typ := range receivers {
		for i := range reflect.PointerTo(typ).NumMethod() {
			m := reflect.PointerTo(typ).Method(i)
			all(fmt.Sprintf("(%v).%s", typ, m.Name), m.Func, reflect.New(typ))
			embedded := typ.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
				_, has := reflect.PointerTo(f.Type).MethodByName(m.Name)
				return f.Anonymous && has
			})
			if _, byValue := typ.MethodByName(m.Name); !byValue && !embedded {
				call(fmt.Sprintf("(%v)(nil).%s", typ, m.Name), m.Func, append([]reflect.Value{reflect.Zero(reflect.PointerTo(typ))}, zeros(m.Func.Type(), 1)...)...)
			}
		}
	}
	assert.Greater(t, calls, 400)
	listed := regexp.MustCompile(`(?m)^([a-z/]+): func ([A-Z]\w*)\(`)
	for _, m := range listed.FindAllStringSubmatch(string(must.Read(t, "testdata/api.txt")), -1) {
		assert.Contains(t, functions, m[1]+"."+m[2], "add it to the functions here")
	}
	receiver := regexp.MustCompile(`(?m)^([a-z/]+): func \((?:\w+ )?\*?([A-Z]\w*)\)`)
	for _, m := range receiver.FindAllStringSubmatch(string(must.Read(t, "testdata/api.txt")), -1) {
		known := false
		for _, typ := range receivers {
			known = known || typ.PkgPath() == "github.com/ptxabi/ptxabi/"+m[1] && typ.Name() == m[2]
		}
		assert.True(t, known, "add %s.%s to the receivers here", m[1], m[2])
	}
}
