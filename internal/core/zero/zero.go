// Package zero lets methods treat a nil receiver like a zero value.
package zero

// Or returns p, or a new zero value if p is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
