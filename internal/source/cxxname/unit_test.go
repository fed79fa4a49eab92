package cxxname

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnit(t *testing.T) {
	for _, tt := range []struct{ symbol, name, unit string }{
		{"k", "k", ""},
		{"_Z1kPf", "_Z1kPf", ""},
		{"_ZL1kPf", "_ZL1kPf", ""},
		{"_ZN4demo38_GLOBAL__N__aaaa1111_8_scale_cu_c0ffee005scaleEPfi", "_ZN4demo12_GLOBAL__N_15scaleEPfi", "_8_scale_cu"},
		{"_ZN4demo38_GLOBAL__N__bbbb2222_8_scale_cu_c0ffee005scaleEPfi", "_ZN4demo12_GLOBAL__N_15scaleEPfi", "_8_scale_cu"},
		{"_ZN2k138_GLOBAL__N__bbbb2222_8_other_cu_c0ffee001kEv", "_ZN2k112_GLOBAL__N_11kEv", "_8_other_cu"},
		{"_ZN12_GLOBAL__N_11kEPf", "_ZN12_GLOBAL__N_11kEPf", "1"},
		{"__nv_static_38__539fbba6_9_pack_cu_13888da2__Z4packPfi", "_Z4packPfi", "_9_pack_cu_"},
		{"__nv_static_38__539fbba6_9_pack_cu_13888da2_pack", "pack", "_9_pack_cu_"},
		{"__nv_static_x", "__nv_static_x", ""},
	} {
		name, unit := Unit(tt.symbol)
		assert.Equal(t, tt.name, name, tt.symbol)
		assert.Equal(t, tt.unit, unit, tt.symbol)
	}
	assert.Equal(t, "_Z1kPf", Canonical("_ZL1kPf"))
	assert.Equal(t, "pack(float*, int)", Full("__nv_static_38__539fbba6_9_pack_cu_13888da2__Z4packPfi"))
	assert.Equal(t, "pack", Name("__nv_static_38__539fbba6_9_pack_cu_13888da2__Z4packPfi"))
}
