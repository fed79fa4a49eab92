package gen

import (
	"fmt"
	"sync"
)

// A vectorOf is what one of CUDA's vector types is made of.
type vectorOf struct {
	ctype string
	n     int
}

// cudaNames are the types that every CUDA compiler declares without a header.
var cudaNames = sync.OnceValue(func() map[string]vectorOf {
	out := map[string]vectorOf{"dim3": {"uint32_t", 3}}
	for _, e := range []struct{ base, ctype string }{
		{"char", "int8_t"},
		{"uchar", "uint8_t"},
		{"short", "int16_t"},
		{"ushort", "uint16_t"},
		{"int", "int32_t"},
		{"uint", "uint32_t"},
		{"long", "int64_t"},
		{"ulong", "uint64_t"},
		{"longlong", "int64_t"},
		{"ulonglong", "uint64_t"},
		{"float", "float"},
		{"double", "double"},
	} {
		for n := 1; n <= 4; n++ {
			out[fmt.Sprintf("%s%d", e.base, n)] = vectorOf{e.ctype, n}
		}
	}
	return out
})
