// Package round rounds sizes and offsets to alignments.
package round

import "golang.org/x/exp/constraints"

// Up returns the least multiple of align, a power of two, that is not less than n.
func Up[T constraints.Integer](n, align T) T { return (n + align - 1) &^ (align - 1) }

// IsPow2 reports whether n is a power of two.
func IsPow2[T constraints.Integer](n T) bool { return n > 0 && n&(n-1) == 0 }

// NextPow2 returns the least power of two that is not less than n, for n > 0.
func NextPow2[T constraints.Integer](n T) T {
	p := T(1)
	for p < n {
		p <<= 1
	}
	return p
}
