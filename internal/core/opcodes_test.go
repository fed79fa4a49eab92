package core_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/core/opcodes"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
)

func TestUnknown(t *testing.T) {
	for op, want := range map[string]string{
		"add.u32": "", "ret": "", "call.uni": "", "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes": "",
		"wgmma.mma_async.sp.sync.aligned.m64n248k32.f32.e4m3.e5m2": "", "tcgen05.ld.sync.aligned.16x64b.x2.b32": "", "mma.sp::ordered_metadata.f16": "",
		"ld.global.zmod.u32": ".zmod", "add.zz::a.u32": ".zz::a", "zop.u32": "zop", "zop": "zop", "ld.global.L1::evict.u32": ".L1::evict", "add.u33": ".u33",
		"_zop.zmod": ".zmod", "_mma.warp": "", "mov._u32": "", "st.global.L1::no_allocate.v4.f32": "", "ADD.u32": "ADD", "add..u32": ".", "add.u32.": ".", "mad.m": "", "": "",
		"cvt.rs.satfinite.scaled::n1::ue8m0.e4m3x4": "", "spcompress.b8.b4.sp::2:4.x1": "", "fabric.submit": "", "add.sp::3:4": ".sp::3:4",
	} {
		assert.Equal(t, want, opcodes.Unknown(op), op)
	}
}

// TestWritten holds the table against the modules at hand: compilers and people wrote no word that it does not have, but for those
// which are wrong on purpose.
func TestWritten(t *testing.T) {
	wrong := map[string]bool{"call.foo": true}
	found, all := make(map[string]string), 0
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".ptx" {
			return err
		}
		data, err := os.ReadFile(name)
		m, _ := ptx.ParseString(name, string(data))
		for f, s := range m.All() {
			if op := opcodeOf(s); f != nil && op != "" && m.Errors.Err() == nil {
				all++
				if word := opcodes.Unknown(op); word != "" && !wrong[op] {
					found[op] = name
				}
			}
		}
		return err
	}))
	assert.Empty(t, found)
	assert.Greater(t, all, 100_000)
}

func opcodeOf(s ptx.Stmt) string {
	switch s := s.(type) {
	case *ptx.Instr:
		return s.Op
	case *ptx.Call:
		return s.Op
	case *ptx.Access:
		return s.Op
	}
	return ""
}

// TestEffects holds that operands are known of the opcodes in the table, but for those that write two.
func TestEffects(t *testing.T) {
	for name, o := range opcodes.All() {
		known := name == "call" || name == "spcompress" || name == "spdecompress" || dataflow.Known(name)
		for _, m := range o.Modifiers() {
			known = known || dataflow.Known(name+m)
		}
		assert.True(t, known, "%s: dataflow does not know it", name)
		assert.NotEmpty(t, o.About, name)
	}
}

// spelled are modifiers that stand after others alone, as an assembler asks it for.
var spelled = map[string]string{
	"cp.bulk": "cp.async.bulk", "cp.tensor": "cp.async.bulk.tensor", "cp.reduce": "cp.reduce.async.bulk", "cp.prefetch": "cp.async.bulk.prefetch",
	"cp.commit_group": "cp.async.commit_group", "cp.wait_group": "cp.async.wait_group", "cp.wait_all": "cp.async.wait_all", "cp.arrive": "cp.async.mbarrier.arrive",
	"cp.mbarrier": "cp.async.mbarrier.arrive", "cp.noinc": "cp.async.mbarrier.arrive.noinc", "cp.async": "cp.async.ca",
	"clusterlaunchcontrol.try_cancel": "clusterlaunchcontrol.try_cancel.async", "mbarrier.parity": "mbarrier.try_wait.parity",
	"tcgen05.ws": "tcgen05.mma.ws", "tcgen05.red": "tcgen05.ld.red", "tcgen05.spcompress": "tcgen05.ld.spcompress", "tcgen05.wait": "tcgen05.wait::ld",
	"wmma.load": "wmma.load.a", "wmma.store": "wmma.store.d", "wmma.c": "wmma.load.c", "wmma.d": "wmma.store.d",
	"tensormap.query": "tensormap.query.alloc_class_large", "tensormap.alloc_class_large": "tensormap.query.alloc_class_large",
	"applypriority.bulk": "applypriority.async.bulk", "applypriority.tensor": "applypriority.async.bulk.tensor",
	"multimem.cp": "multimem.cp.async.bulk", "multimem.reduce": "multimem.cp.reduce.async.bulk", "multimem.bulk": "multimem.cp.async.bulk", "multimem.async": "multimem.st.async",
	"fabric.try_get": "fabric.try_get.async", "fabric.try_put": "fabric.try_put.async", "fabric.try_red": "fabric.try_red.async",
	"fabric.try_pullred": "fabric.try_pullred.async", "fabric.try_atom": "fabric.try_atom.async", "fabric.tensor": "fabric.try_get.async.tensor",
	"fabric.commit_group": "fabric.submit.commit_group",
}

// documented are words that documents of PTX name and none of the assemblers at hand knows.
var documented = map[string]bool{
	"tensormap.alloc_class": true,
}

// TestAssemblers asks assemblers, where there are some, whether they know each opcode, by itself or with one of its
// modifiers, and each modifier, by itself or after its opcode. What one of them knows is right.
func TestAssemblers(t *testing.T) {
	tools, err := oracle.Find()
	if tools == nil || len(tools.Toolkits) == 0 {
		t.Skip(err)
	}
	forms := []string{"nothing", "add.nothing"}
	for name, o := range opcodes.All() {
		forms = append(forms, name)
		for _, m := range o.Modifiers() {
			forms = append(forms, "add"+m, cmp.Or(spelled[name+m], name+m))
		}
	}
	for _, word := range opcodes.Undocumented() {
		forms = append(forms, "add"+word)
	}
	opcode, modifier, words := make(map[string]bool), make(map[string]bool), make(map[string]bool) // that are known
	for _, kit := range tools.Toolkits {
		for form, refused := range ask(t, kit, forms) {
			opcode[form] = opcode[form] || !strings.Contains(refused, "Not a name")
			modifier[form] = modifier[form] || refused == ""
			words[form] = words[form] || !strings.Contains(refused, "Unknown")
		}
	}
	assert.False(t, opcode["nothing"] || modifier["add.nothing"], "the assemblers say nothing")
	for name, o := range opcodes.All() {
		known := opcode[name]
		for _, m := range o.Modifiers() {
			form := cmp.Or(spelled[name+m], name+m)
			known = known || opcode[form]
			assert.NotEqual(t, modifier["add"+m] || modifier[form], documented[name+m], "whether an assembler knows %s%s", name, m)
		}
		assert.True(t, known, "no assembler knows %s", name)
	}
	for _, word := range opcodes.Undocumented() {
		assert.True(t, words["add"+word], "no assembler knows %s", word)
	}
}

var refusal = regexp.MustCompile(`line (\d+); (error|fatal)\s*: (Unknown modifier|Not a name of any known instruction|Parsing error)`)

// ask returns what an assembler says of the words of each opcode in a list, "" if nothing.
func ask(t *testing.T, kit *oracle.Toolkit, list []string) map[string]string {
	all := make(map[string]string)
	target := kit.Targets[len(kit.Targets)-1]
	const head = ".version %v\n.target %s\n.address_size 64\n.func f()\n{\n"
	for len(list) > 0 { // what the grammar of the assembler has by itself ends it
		_, err := kit.Assemble(t.Context(), fmt.Sprintf(head, kit.PTX, target)+strings.Join(list, ";\n")+";\n}\n", target)
		var refused *oracle.RefusedError
		require.ErrorAs(t, err, &refused)
		end := len(list)
		for _, m := range refusal.FindAllStringSubmatch(refused.Output, -1) {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			if n -= strings.Count(head, "\n") + 1; m[2] == "fatal" {
				end = n
			}
			all[list[n]] += m[3]
		}
		for _, form := range list[:end] {
			all[form] += ""
		}
		list = list[min(end+1, len(list)):]
	}
	return all
}
