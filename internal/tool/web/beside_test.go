package web_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestBeside shows a second target beside the first: pictures, listing, and which
// values lie elsewhere.
func TestBeside(t *testing.T) {
	text := example0(t, "A struct and its call")
	r := web.Answer(web.Request{Text: text, Against: "sm_120", Size: "phone"})
	require.NotNil(t, r.Other)
	assert.Equal(t, []string{"f1.p0", "f1.p1"}, r.Other.Moved) // the kernel's, in another place of the bank
	assert.Len(t, r.Other.Pictures, len(r.Pictures))
	assert.Equal(t, web.Answer(web.Request{Text: text, Target: "sm_120", Size: "phone"}).Pictures, r.Other.Pictures)
	assert.Equal(t, web.Answer(web.Request{Text: text, Target: "sm_120"}).Listing, r.Other.Listing)

	r = web.Answer(web.Request{Text: "struct S { int a; };", Target: "sm_90", Against: "sm_120"})
	require.NotNil(t, r.Other)
	assert.Empty(t, r.Other.Moved)

	for _, against := range []string{"", "sm_35", "sm_1", "<b>"} { // none, one that it does not run on, and none such
		assert.Nil(t, web.Answer(web.Request{Text: text, Against: against}).Other, against)
	}
	assert.Nil(t, web.Answer(web.Request{Text: "struct {", Against: "sm_120"}).Other)
}
