package ptx

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReset holds that a Reader that is reset keeps nothing of a text, and reads on in the
// memory that it has.
func TestReset(t *testing.T) {
	const src = `.func f(.param .b32 a) { .reg .b32 %r<2>; .param .b8 x[4]; @%p ld.param.b32 %r1, [a];
		st.param.v2.b16 [x], {%h1, %h2}; call (r), g, (x), p; p: .callprototype _ (.param .b32 q); l: ret; }`
	o, err := ParseOutline("x.ptx", src)
	require.NoError(t, err)
	f := o.Module().Items[0].(*Func)
	var r Reader
	first, ok := r.Body(o, f)
	require.True(t, ok)
	n := len(first)
	r.Reset()
	requireZero(t, reflect.ValueOf(&r).Elem(), "Reader")

	again, ok := r.Body(o, f)
	require.True(t, ok)
	assert.Len(t, again, n)
	assert.Same(t, &first[0], &again[0], "the memory is used again")
}

// requireZero holds that nothing below v is other than zero, in slices up to their capacity.
func requireZero(t *testing.T, v reflect.Value, where string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			requireZero(t, v.Field(i), where+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		for i := range v.Cap() {
			requireZero(t, v.Slice(0, v.Cap()).Index(i), where+"[]")
		}
	case reflect.String, reflect.Pointer, reflect.Interface:
		require.True(t, v.IsZero(), where)
	}
}
