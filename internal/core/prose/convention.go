package prose

import "slices"

// Convention explains a difference of two prototypes by the ways in which two languages pass the same values; "" if it has
// no explanation. A prototype is its results and parameters, as cubins record them: a letter for an element, b, h, i, f,
// l, d or x, and after it the number of elements of an array.
func Convention(resultsA, paramsA, resultsB, paramsB []string) string {
	switch {
	case numba(resultsA, paramsA, resultsB, paramsB), numba(resultsB, paramsB, resultsA, paramsA):
		return " (one of them is in Numba's own convention: the status is the result, and the first parameter points to where the value goes; compile it with abi=\"c\")"
	case nullResult(resultsA, paramsA, resultsB, paramsB), nullResult(resultsB, paramsB, resultsA, paramsA):
		return " (with abi=\"c\" Numba declares a pointer as the result where C has none: if one of them is Numba's, let the function return one)"
	case byPointer(resultsA, paramsA, resultsB, paramsB), byPointer(resultsB, paramsB, resultsA, paramsA):
		return " (GCC passes records by pointer, and nvcc classes with copy constructors, where clang passes bytes: one of them is GCC's or nvcc's, or takes a pointer to it)"
	}
	return ""
}

// numba reports whether the first prototype is that of Numba's convention for the
// second one: result .b32, first parameter a pointer, then the same.
func numba(ra, pa, rb, pb []string) bool {
	if len(ra) != 1 || ra[0] != "i" || len(pa) != len(pb)+1 || pa[0] != "l" {
		return false
	}
	for i := range pb {
		if pa[i+1] != pb[i] {
			return false
		}
	}
	return len(rb) <= 1
}

// nullResult reports whether the prototypes differ only in a pointer that the first one returns.
func nullResult(ra, pa, rb, pb []string) bool {
	return len(ra) == 1 && ra[0] == "l" && len(rb) == 0 && slices.Equal(pa, pb)
}

// byPointer reports whether the prototypes differ only in that the first has addresses
// in place of arrays of the second, one of which may be the result.
func byPointer(ra, pa, rb, pb []string) bool {
	array := func(v string) bool { return len(v) > 1 && v[1:] != "0" }
	found := 0
	if len(rb) == 1 && array(rb[0]) && len(ra) == 0 && len(pa) == len(pb)+1 && pa[0] == "l" {
		found, pa = 1, pa[1:]
	} else if len(ra) != len(rb) || len(ra) == 1 && ra[0] != rb[0] {
		return false
	}
	if len(pa) != len(pb) {
		return false
	}
	for i := range pa {
		switch {
		case pa[i] == pb[i]:
		case pa[i] == "l" && array(pb[i]):
			found++
		default:
			return false
		}
	}
	return found > 0
}
