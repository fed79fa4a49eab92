package lsp

import (
	_ "embed"
	"strings"
	"sync"
)

// An opcodeInfo is what completion and hover say of an opcode.
type opcodeInfo struct {
	about     string
	modifiers []string // with their dots, in the order in which they are offered
}

// opcodes are those of the PTX ISA up to 9.0, without their modifiers. What is returned is not to be changed.
var opcodes = sync.OnceValue(func() map[string]opcodeInfo {
	all := make(map[string]opcodeInfo)
	for line := range strings.Lines(opcodeTable) {
		names, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		about, mods, _ := strings.Cut(rest, " : ")
		var list []string
		for word := range strings.FieldsSeq(mods) {
			if group, ok := modifierGroups[word]; ok {
				for one := range strings.FieldsSeq(group) {
					list = append(list, "."+one)
				}
			} else {
				list = append(list, "."+word)
			}
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = opcodeInfo{about, list}
		}
	}
	return all
})

// modifierGroups are modifiers that many opcodes have.
var modifierGroups = map[string]string{
	"INT":   "u16 u32 u64 s16 s32 s64",
	"INT32": "u32 s32",
	"BITS":  "b16 b32 b64",
	"FLOAT": "f16 f16x2 bf16 bf16x2 f32 f32x2 f64",
	"HALF":  "f16 f16x2 bf16 bf16x2",
	"ROUND": "rn rz rm rp",
	"ANY":   "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
	"SPACE": "global local param shared const",
	"CMP":   "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor",
	"SEM":   "relaxed acquire release acq_rel sc",
	"SCOPE": "cta cluster gpu sys",
	"CACHE": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B",
	"GEOM":  "1d 2d 3d a1d a2d cube acube 2dms a2dms",
	"SIMD":  "u32 s32 sat add",
	"VIDEO": "u32 s32 sat min max add",
}

// opcodeTable has a line for opcodes that have the same modifiers: their names, what they do, their modifiers.
//
//go:embed opcodes.txt
var opcodeTable string
