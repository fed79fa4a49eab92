//go:build !explorer && !nopack

package web_test

import (
	"encoding/binary"
	"encoding/json"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/web"
	"github.com/ptxabi/ptxabi/ptx"
)

func contents(t *testing.T, name string) []byte {
	t.Helper()
	data := must.Read(t, name)
	return data
}

// TestBinary reads a cubin, lists what is recorded of its kernels, and holds it against
// texts that are right and that have drifted. The report is that of package verify.
func TestBinary(t *testing.T) {
	data := contents(t, "../../../examples/drift/step.cubin")
	cuda, module := string(contents(t, "../../../examples/drift/step.cu")), string(contents(t, "../../../examples/drift/step.ptx"))
	cuda = strings.Replace(cuda, "#include \"step.h\"\n", string(contents(t, "../../../examples/drift/step.h")), 1)
	file := web.File{Name: "step.cubin", Data: data}

	r := web.Answer(web.Request{Text: module, Binary: file})
	require.NotNil(t, r.Binary)
	require.Empty(t, r.Binary.Refused)
	c, err := cubin.Open(data)
	require.NoError(t, err)
	require.Len(t, r.Binary.Images, 1)
	image := r.Binary.Images[0]
	assert.Equal(t, []string{"the file", "cubin", c.Arch, c.Toolkit.String()}, []string{image.Where, image.Kind, image.Arch, image.Toolkit})
	require.Len(t, image.Kernels, 1)
	fn := c.Func("step")
	k := image.Kernels[0]
	assert.Equal(t, []int{fn.Regs, fn.FrameSize, fn.ParamBank, fn.ParamBase, fn.ParamSize}, []int{k.Registers, k.Frame, k.Bank, k.Base, k.Size})
	require.Len(t, k.Params, len(fn.Params))
	for i, p := range fn.Params {
		assert.Equal(t, web.BinaryParam{Offset: p.Offset, Size: p.Size}, k.Params[i])
	}
	m, err := ptx.ParseString("input.ptx", module)
	require.NoError(t, err)
	target := must.Target(t, c.Arch)
	want := (&verify.Binary{File: c, Name: "step.cubin"}).Compare(verify.NewModule(m).On(target))
	assert.Equal(t, verify.Texts([]*verify.Report{want}, verify.Style{}), r.Binary.Reports)
	assert.Equal(t, map[bool]string{true: "same", false: "differs"}[want.OK()], r.Binary.Compared)

	r = web.Answer(web.Request{Text: cuda, Lang: "c++", Binary: file})
	require.Empty(t, r.Binary.Refused)
	assert.Equal(t, "same", r.Binary.Compared, "%q %q", r.Binary.Reports, r.Binary.Notes)
	r = web.Answer(web.Request{Text: strings.ReplaceAll(module, ".f32", ".f64"), Binary: file})
	assert.Equal(t, "differs", r.Binary.Compared)
	require.NotEmpty(t, r.Binary.Findings)
	for _, f := range r.Binary.Findings {
		assert.Equal(t, "KernelMismatch", f.Code)
		assert.Positive(t, f.Line)
	}
	// A text that has nothing of the file, such as an example, is no source that has drifted.
	r = web.Answer(web.Request{Text: strings.ReplaceAll(module, "step", "other"), Binary: file})
	assert.Empty(t, r.Binary.Compared)
	assert.Equal(t, []string{"nothing is compared: no kernel and no function of the text is in the file"}, r.Binary.Notes)
}

// TestBinaryNothing has texts that declare no kernels: what is in the file is listed
// all the same, and why nothing is compared is said.
func TestBinaryNothing(t *testing.T) {
	file := web.File{Name: "step.cubin", Data: contents(t, "../../../examples/drift/step.cubin")}
	for text, why := range map[string]string{
		"":                                  "there is no text",
		".version 8.0\n.target <b>\n(":      "the text cannot be read",
		"struct S { int a; };\n":            "the text declares no kernels: no __global__ functions",
		"package p\ntype T struct{A int32}": "Go declares no kernels: ptxabi verify -type holds a struct of it against one",
		"/*0000*/ EXIT ;\n":                 "a listing declares no kernels",
	} {
		r := web.Answer(web.Request{Text: text, Binary: file})
		require.NotNil(t, r.Binary, text)
		assert.Len(t, r.Binary.Images, 1)
		assert.Empty(t, r.Binary.Compared)
		assert.Contains(t, r.Binary.Notes, "nothing is compared: "+why)
	}
	for _, text := range []string{ // half of them
		string(contents(t, "../../../examples/drift/step.ptx")) + ".func bad(.param .b32 ) { ret; }\n",
		string(contents(t, "../../../examples/drift/step.cu")) + "__global__ void bad(struct Foo f);\n__device__ int x = {;\n",
		"__global__ void other(int n);\n__device__ int x = {;\n",
	} {
		r := web.Answer(web.Request{Text: text, Binary: file})
		require.NotNil(t, r.Binary, text)
		assert.Contains(t, r.Binary.Notes, "the text has errors: what they leave of it is compared", text)
		for _, f := range r.Binary.Findings {
			assert.NotContains(t, f.Message, "kernel step:") // which what could not be read may declare
		}
	}
}

// TestBinaryFatbin reads fatbins, with PTX in them too.
func TestBinaryFatbin(t *testing.T) {
	list := must.Glob(t, "../../image/cubin/testdata/fatbins/*")
	module := string(contents(t, "../../image/cubin/testdata/module.ptx"))
	kinds := map[string]int{}
	for _, name := range list {
		data := contents(t, name)
		r := web.Answer(web.Request{Text: module, Binary: web.File{Name: filepath.Base(name), Data: data}})
		images, err := cubin.Images(data)
		if err != nil {
			assert.Equal(t, err.Error(), r.Binary.Refused)
			continue
		}
		require.Empty(t, r.Binary.Refused, name)
		require.Len(t, r.Binary.Images, len(images), name)
		for i, m := range images {
			assert.Equal(t, m.Kind.String(), r.Binary.Images[i].Kind)
			kinds[m.Kind.String()] += len(r.Binary.Images[i].Kernels)
		}
	}
	assert.Positive(t, kinds["cubin"])
	assert.Positive(t, kinds["ptx"])
}

// TestBinaryHostile has files that are none, are cut off or damaged, or claim to be
// large. Each is answered, and with bounds.
func TestBinaryHostile(t *testing.T) {
	module := string(contents(t, "../../../examples/drift/step.ptx"))
	ask := func(data []byte) *web.Binary {
		request, err := json.Marshal(web.Request{Text: module, Binary: web.File{Name: "<img src=x onerror=alert(1)>", Data: data}})
		require.NoError(t, err)
		out, err := web.AnswerJSON(request)
		require.NoError(t, err)
		r := &web.Response{}
		require.NoError(t, json.Unmarshal(out, r))
		require.NotContains(t, r.Refused, "defect of ptxabi")
		return r.Binary
	}
	assert.NotEmpty(t, ask([]byte("no cubin")).Refused)
	assert.Equal(t, "there is neither a cubin nor PTX in it", ask(append([]byte("\x7fELF\x02\x01"), make([]byte, 200)...)).Refused)
	assert.Contains(t, ask(make([]byte, web.MaxBinary+1)).Refused, "the explorer reads 4194304")
	list := must.Glob(t, "../../image/cubin/testdata/fatbins/*")
	rnd := rand.New(rand.NewSource(1))
	for _, name := range append(list, "../../../examples/drift/step.cubin") {
		data := contents(t, name)
		for range effort.Of(10, 40) {
			cut := append([]byte{}, data[:rnd.Intn(len(data))]...)
			if len(cut) > 0 {
				ask(cut)
			}
			broken := append([]byte{}, data...)
			for range 1 + rnd.Intn(20) {
				broken[rnd.Intn(len(broken))] = byte(rnd.Intn(256))
			}
			ask(broken)
		}
	}
	// An entry that is said to inflate to more than is read.
	for _, name := range list {
		data := contents(t, name)
		if binary.LittleEndian.Uint32(data) != 0xba55ed50 || binary.LittleEndian.Uint64(data[16+56:]) == 0 {
			continue
		}
		binary.LittleEndian.PutUint64(data[16+56:], 200<<20)
		b := ask(data)
		assert.Contains(t, strings.Join(b.Notes, "\n"), "it is said to have 209715200 bytes when inflated; 33554432 are read of a file")
		return
	}
	t.Error("no fatbin has a compressed entry")
}

// TestBinaryNames has the names of kernels as the report has them, beside the linker's.
func TestBinaryNames(t *testing.T) {
	r := web.Answer(web.Request{Text: "", Binary: web.File{Name: "cxx.cubin", Data: contents(t, "../verify/testdata/cxx-sm_80-12.4.cubin")}})
	require.NotNil(t, r.Binary)
	names := map[string]string{}
	for _, m := range r.Binary.Images {
		for _, k := range m.Kernels {
			names[k.Name] = k.Shown
		}
	}
	assert.Equal(t, "add(float)", names["_Z3addf"])
	assert.Equal(t, "sim::run(int)", names["_ZN3sim3runEi"])
	module := ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry _Z3addf(.param .b64 x) { ret; }\n"
	r = web.Answer(web.Request{Text: module, Binary: web.File{Name: "cxx.cubin", Data: contents(t, "../verify/testdata/cxx-sm_80-12.4.cubin")}})
	require.NotEmpty(t, r.Binary.Findings)
	all := ""
	for _, f := range r.Binary.Findings {
		assert.NotContains(t, f.Message, "_Z")
		all += f.Message + "\n"
	}
	assert.Contains(t, all, "kernel add(float): ")
}
