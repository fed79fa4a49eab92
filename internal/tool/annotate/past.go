package annotate

import "fmt"

// past says how far an access of size bytes at off goes beyond the parameter that
// it begins in, or beyond those after it that it takes along; "" if it does not.
// At has the parameter with a byte, nil where there is none. What fills the last
// word of a parameter up belongs to it here: whole words are read for less.
func past(off, size int, at func(off int) *Formal) string {
	if at(off) == nil {
		return ""
	}
	end := off + size
	for end > off && at(end-1) == nil {
		end--
	}
	return beyond(off + size - end - (4-(end-off)%4)%4)
}

// beyond says that an access takes n bytes more than there are; "" for none.
func beyond(n int) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return " and 1 byte past its end"
	}
	return fmt.Sprintf(" and %d bytes past its end", n)
}
