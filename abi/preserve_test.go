package abi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/sass"
)

// TestRegsWith holds the registers of .abi_preserve against the table of
// docs/abi.md.
func TestRegsWith(t *testing.T) {
	target := must.Target(t, "sm_80")
	for _, tt := range []struct {
		n         int
		back      sass.Reg
		preserved string
	}{
		{0, 14, "R1, R2"},
		{1, 14, "R1, R2, R16"},
		{2, 16, "R1, R2"},
		{3, 16, "R1, R2, R18"},
		{7, 20, "R1, R2, R16-R19, R22"},
		{40, 54, "R1, R2, R16-R53"},
		{237, 250, "R1, R2, R16-R249, R252"},
	} {
		regs := target.RegsWith(abi.Preserve{Given: true, N: tt.n})
		assert.Equal(t, tt.back, regs.RetAddr, "%d", tt.n)
		assert.Equal(t, tt.preserved, regs.CalleeSaved.String(), "%d", tt.n)
		back := abi.Regs(regs.RetAddr, regs.RetAddr+1)
		assert.Equal(t, abi.RegRange(0, target.Regs.Last), regs.CalleeSaved.Union(regs.CallerSaved).Union(back), "%d: each register is in one set", tt.n)
		assert.Equal(t, abi.RegSet{}, regs.CalleeSaved.Intersect(regs.CallerSaved), "%d", tt.n)
		assert.Equal(t, target.Regs.PredCallerSaved, regs.PredCallerSaved)
	}
	assert.Equal(t, target.Regs, target.RegsWith(abi.Preserve{}))
	older := must.Target(t, "sm_75")
	assert.Equal(t, older.Regs, older.RegsWith(abi.Preserve{Given: true, N: 7}))
}
