// Package zero makes methods answer for a nil receiver as for a zero value.
package zero

// Or returns p, or a new zero value where that is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
