package arena

// Resized returns a list of n elements, of which nothing is known, in the memory of
// one if there is enough.
func Resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
