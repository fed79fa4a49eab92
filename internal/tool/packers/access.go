package packers

import (
	"cmp"
	"fmt"
	"strings"
)

// emit writes the two methods of an accessor.
func (a *accessor) emit(f *goFile, typ string, by claim) {
	what, _, _ := strings.Cut(a.Doc, ": ")
	f.part(by, what)
	store := "v"
	if a.field != "" {
		store += "." + a.field
	}
	indices := strings.Split("i j k l", " ")[:a.dims]
	for _, name := range indices {
		store += "[" + name + "]"
	}
	params := ""
	if a.dims > 0 {
		params = strings.Join(indices, ", ") + " int"
	}
	var get, set []string
	switch {
	case a.width == 0:
		get = append([]string{view("s", fmt.Sprint(a.whole), store+"[:]")}, (&packer{load: true}).walk("s", 0, a.Val, "x")...)
		set = append([]string{view("d", fmt.Sprint(a.whole), store+"[:]")}, new(packer).walk("d", 0, a.Val, "x")...)
	case a.integer:
		get, set = a.inInteger(store)
	default:
		get, set = a.inBytes(store)
	}
	rest := "bytes beyond it stay"
	switch {
	case a.width > 0:
		rest = "bits of x beyond it are dropped"
	case a.Val.size == a.whole:
		rest = "it takes all bytes"
	}
	f.template("accessor.go.tmpl", map[string]any{
		"Type": typ, "Name": a.Name, "Doc": a.Doc, "Params": params, "Of": a.Val.Typ, "Get": get, "Set": set, "Rest": rest,
	})
}

// shifted is x shifted by n bits, if n is not 0.
func shifted(x, op string, n int64) string {
	if n == 0 {
		return x
	}
	return fmt.Sprintf("%s %s %d", x, op, n)
}

func (a *accessor) mask() uint64 { return 1<<a.width - 1 }

// inInteger is about bits of an integer field.
func (a *accessor) inInteger(store string) (get, set []string) {
	size, word, mask := a.whole*8, bits(a.whole), fmt.Sprintf("%#x", a.mask())
	value := fmt.Sprintf("%s & %s", shifted(word+"("+store+")", ">>", a.bit), mask)
	if a.Val.basic != word { // signed
		value = fmt.Sprintf("%s(%s(%s) << %d) >> %d", a.Val.basic, word, store, size-a.width-a.bit, size-a.width)
	}
	return []string{"x = " + value},
		[]string{fmt.Sprintf("%s = %[1]s &^ %#x | %s(x) & %s", store, a.mask()<<a.bit, cmp.Or(a.fieldType, word), shifted(mask, "<<", a.bit))}
}

// inBytes is about bits of a [N]byte.
func (a *accessor) inBytes(store string) (get, set []string) {
	first, last := a.bit/8, (a.bit+a.width-1)/8
	shift := a.bit % 8
	var words []string
	for i := first; i <= last; i++ {
		words = append(words, shifted(fmt.Sprintf("uint64(%s[%d])", store, i), "<<", 8*(i-first)))
	}
	get = []string{"u := " + strings.Join(words, " | ")}
	mask := fmt.Sprintf("%#x", a.mask())
	field := shifted("u", ">>", shift) + " & " + mask
	set = []string{"u := uint64(x) & " + shifted(mask, "<<", shift)}
	switch {
	case a.Val.kind == boolean:
		get = append(get, "x = "+field+" != 0")
		set = []string{"var u uint64", fmt.Sprintf("if x {\nu = 1 << %d\n}", shift)}
	case a.Val.basic[0] == 'i':
		get = append(get, fmt.Sprintf("x = %s(int64(u << %d) >> %d)", a.Val.basic, 64-a.width-shift, 64-a.width))
	default:
		get = append(get, fmt.Sprintf("x = %s(%s)", a.Val.basic, field))
	}
	for i := first; i <= last; i++ {
		b := fmt.Sprintf("%s[%d]", store, i)
		m := byte(a.mask() << shift >> (8 * (i - first)))
		part := "byte(" + shifted("u", ">>", 8*(i-first)) + ")"
		if m == 0xff {
			set = append(set, b+" = "+part)
		} else {
			set = append(set, fmt.Sprintf("%s = %[1]s &^ %#x | %s", b, m, part))
		}
	}
	return get, set
}
