package bench

// Header returns a C header of n records, each of mixed members, some of which
// are earlier records, arrays and bit-fields.
func Header(seed uint64, n int) []byte {
	r := random(seed)
	var w writer
	for i := range n {
		w.put("struct S", i, " {\n")
		for j := range 4 + r.below(12) {
			switch k := r.below(12); {
			case k == 0 && i%4 != 0: // those of whole fours hold none
				w.put("\tstruct S", i/4*4, " m", j, ";\n")
			case k == 1:
				w.put("\tunsigned m", j, " : ", 1+r.below(31), ";\n")
			case k < 4:
				w.put("\t", r.pick("char", "short", "float", "double"), " m", j, "[", 1+r.below(9), "];\n")
			default:
				w.put("\t", r.pick("char", "unsigned char", "short", "int", "unsigned", "long long", "float", "double", "void *"), " m", j, ";\n")
			}
		}
		w.put("};\n\n")
	}
	return w
}

// Structs returns a Go file of package p with n structs that ptxparam packs.
func Structs(seed uint64, n int) []byte {
	r := random(seed)
	w := writer("package p\n")
	for i := range n {
		w.put("\ntype S", i, " struct {\n")
		for j := range 4 + r.below(12) {
			switch k := r.below(12); {
			case k == 0 && i%4 != 0:
				w.put("\tM", j, " S", i/4*4, "\n")
			case k < 3:
				w.put("\tM", j, " [", 1+r.below(9), "]", r.pick("uint8", "int16", "float32", "float64"), "\n")
			default:
				w.put("\tM", j, " ", r.pick("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"), "\n")
			}
		}
		w.put("}\n")
	}
	return w
}
