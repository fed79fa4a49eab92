package cubin

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// A Form is how a record of .nv.info holds its value.
type Form uint8

// The forms.
const (
	NoValue Form = 1 // EIFMT_NVAL
	Byte    Form = 2 // EIFMT_BVAL
	Half    Form = 3 // EIFMT_HVAL, 16 bits
	Sized   Form = 4 // EIFMT_SVAL, as many bytes as recorded
)

var forms = [...]string{NoValue: "NVAL", Byte: "BVAL", Half: "HVAL", Sized: "SVAL"}

func (f Form) String() string {
	if int(f) < len(forms) && forms[f] != "" {
		return forms[f]
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// An AttrID is a kind of record of .nv.info.
type AttrID uint8

// The attributes that are interpreted here.
const (
	attrMaxThreads     AttrID = 0x05
	attrParamCbank     AttrID = 0x0a
	attrReqNTID        AttrID = 0x10
	attrFrameSize      AttrID = 0x11
	attrMinStackSize   AttrID = 0x12
	attrCRSStackSize   AttrID = 0x1e
	attrKParamInfo     AttrID = 0x17
	attrCbankParamSize AttrID = 0x19
	attrMaxRegCount    AttrID = 0x1b
	attrMaxStackSize   AttrID = 0x23
	attrRegCount       AttrID = 0x2f
	attrKParamInfoV2   AttrID = 0x45
)

func (a AttrID) String() string {
	return nameOf("attribute", uint64(a), "attribute 0x%02x")
}

// compatTarget is the attribute of .nv.compat that says for which variant of
// its architecture the code is.
const compatTarget AttrID = 0x09

// A Kind is the type of a relocation.
type Kind uint32

// String is the relocation's name, "relocation 93" where none has been seen.
func (k Kind) String() string {
	return nameOf("relocation", uint64(k), "relocation %d")
}

//go:embed names.txt
var namesText string

type numbered struct {
	kind   string
	number uint64
}

var names = func() map[numbered]string {
	all := make(map[numbered]string)
	for line := range strings.Lines(namesText) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		if n, err := strconv.ParseUint(words[1], 0, 32); err == nil {
			all[numbered{words[0], n}] = words[2]
		}
	}
	return all
}()

// nameOf is the name for a number, or a format of the number where it has none.
func nameOf(kind string, number uint64, format string) string {
	if name, ok := names[numbered{kind, number}]; ok {
		return name
	}
	return fmt.Sprintf(format, number)
}
