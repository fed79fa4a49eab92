package main

import (
	"debug/elf"
	encoding "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
)

const cubinData = "../../internal/image/cubin/testdata"

// source writes a source to a file and returns its path.
func writeSource(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const wideHead = ".version 8.1\n.target sm_80\n.address_size 64\n"

func wideModule(t *testing.T) string {
	t.Helper()
	body := must.Read(t, cubinData+"/wide.ptx")
	return wideHead + string(body)
}

// TestSpan has architectures in another order than the file's.
func TestSpan(t *testing.T) {
	assert.Equal(t, "sm_52, sm_90, sm_90a, sm_100", compiled.Span([]string{"sm_100", "sm_90a", "sm_52", "sm_90"}))
	assert.Equal(t, "sm_50 … sm_121 (5 architectures)", compiled.Span([]string{"sm_100", "sm_121", "sm_50", "sm_80", "sm_90"}))
}

// TestVerifyStripped has a cubin without symbols: they begin where the section
// table says that they do, and there are none.
func TestVerifyStripped(t *testing.T) {
	data := must.Read(t, cubinData+"/cubins/wide-sm_80-12.4.cubin")
	table := int(encoding.LittleEndian.Uint64(data[40:]))
	count := int(encoding.LittleEndian.Uint16(data[60:]))
	for i := range count {
		if s := data[table+64*i:]; encoding.LittleEndian.Uint32(s[4:]) == uint32(elf.SHT_SYMTAB) || encoding.LittleEndian.Uint32(s[44:]) != 0 ||
			strings.HasPrefix(sectionName(data, table, i), ".nv.info") {
			encoding.LittleEndian.PutUint32(s[4:], uint32(elf.SHT_NULL))
		}
	}
	r := ptxabi(data, "verify", "-", writeSource(t, "wide.ptx", wideModule(t)))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: it is stripped: without symbols its kernels have no names")
}

// sectionName is the name of a section of an ELF file of 64 bits.
func sectionName(data []byte, table, i int) string {
	order := encoding.LittleEndian
	names := table + 64*int(order.Uint16(data[62:]))
	at := int(order.Uint64(data[names+24:])) + int(order.Uint32(data[table+64*i:]))
	name, _, _ := strings.Cut(string(data[at:]), "\x00")
	return name
}
