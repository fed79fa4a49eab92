package cubin

import "fmt"

// typesOf are the types that a prototype's letters stand for.
var typesOf = map[byte]string{'b': ".b8", 'h': ".b16", 'i': ".b32", 'l': ".b64", 'x': ".b128", 'f': ".f32", 'd': ".f64"}

// Words is the value as PTX declares it: ".b32", ".b8[16]", ".b8[]".
func (v ProtoValue) Words() string {
	switch {
	case v.Count < 0:
		return typesOf[v.Element]
	case v.Count == 0:
		return typesOf[v.Element] + "[]"
	}
	return fmt.Sprintf("%s[%d]", typesOf[v.Element], v.Count)
}
