package cubin

import "fmt"

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

// An AttrID says what a record of .nv.info is.
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
	attrMaxStackSize   AttrID = 0x23
	attrRegCount       AttrID = 0x2f
	attrKParamInfoV2   AttrID = 0x45
)

// attrNames are the names of attributes as cuobjdump -elf of 11.8 … 13.5
// prints them. It has none for 0x66, 0x67, 0x6b and 0x6d of 13.x.
var attrNames = map[AttrID]string{
	attrMaxThreads:     "EIATTR_MAX_THREADS",
	attrParamCbank:     "EIATTR_PARAM_CBANK",
	0x0f:               "EIATTR_EXTERNS",
	attrReqNTID:        "EIATTR_REQNTID",
	attrFrameSize:      "EIATTR_FRAME_SIZE",
	attrMinStackSize:   "EIATTR_MIN_STACK_SIZE",
	0x15:               "EIATTR_BINDLESS_TEXTURE_BANK",
	0x16:               "EIATTR_BINDLESS_SURFACE_BANK",
	attrKParamInfo:     "EIATTR_KPARAM_INFO",
	attrCbankParamSize: "EIATTR_CBANK_PARAM_SIZE",
	0x1b:               "EIATTR_MAXREG_COUNT",
	0x1c:               "EIATTR_EXIT_INSTR_OFFSETS",
	attrCRSStackSize:   "EIATTR_CRS_STACK_SIZE",
	attrMaxStackSize:   "EIATTR_MAX_STACK_SIZE",
	0x28:               "EIATTR_COOP_GROUP_INSTR_OFFSETS",
	0x29:               "EIATTR_COOP_GROUP_MASK_REGIDS",
	0x2a:               "EIATTR_SW1850030_WAR",
	attrRegCount:       "EIATTR_REGCOUNT",
	0x30:               "EIATTR_SW2393858_WAR",
	0x31:               "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS",
	0x34:               "EIATTR_INDIRECT_BRANCH_TARGETS",
	0x35:               "EIATTR_SW2861232_WAR",
	0x36:               "EIATTR_SW_WAR",
	0x37:               "EIATTR_CUDA_API_VERSION",
	0x3d:               "EIATTR_CTA_PER_CLUSTER",
	0x3e:               "EIATTR_EXPLICIT_CLUSTER",
	0x3f:               "EIATTR_MAX_CLUSTER_RANK",
	0x41:               "EIATTR_RESERVED_SMEM_USED",
	attrKParamInfoV2:   "EIATTR_KPARAM_INFO_V2",
	0x4a:               "EIATTR_VRC_CTA_INIT_COUNT",
	0x4c:               "EIATTR_NUM_BARRIERS",
	0x50:               "EIATTR_SPARSE_MMA_MASK",
	0x53:               "EIATTR_GEN_ERRBAR_AT_EXIT",
	0x55:               "EIATTR_ANNOTATIONS",
	0x5f:               "EIATTR_MERCURY_ISA_VERSION",
}

func (a AttrID) String() string {
	if name, ok := attrNames[a]; ok {
		return name
	}
	return fmt.Sprintf("attribute 0x%02x", uint8(a))
}

// compatTarget is the attribute of .nv.compat that says for which variant of
// its architecture the code is.
const compatTarget AttrID = 0x09

// compatNames are the names of the attributes of .nv.compat.
var compatNames = map[AttrID]string{
	0x02:         "EICOMPAT_ATTR_ISA_CLASS",
	0x03:         "EICOMPAT_ATTR_INST_TENSORMAP_V1",
	0x05:         "EICOMPAT_ATTR_INST_TCGEN05_MMA",
	0x06:         "EICOMPAT_ATTR_ENABLE_OPPORTUNISTIC_FINALIZATION",
	0x07:         "EICOMPAT_ATTR_MERCURY_ISA_MAJOR_MINOR_VERSION",
	compatTarget: "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET",
	0x0b:         "EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE",
	0x0c:         "EICOMPAT_ATTR_ERROR_LAST",
}

// CompatName is the name of a record of .nv.compat, whose numbers have a meaning
// of their own.
func (a Attr) CompatName() string {
	if name, ok := compatNames[a.ID]; ok {
		return name
	}
	return fmt.Sprintf("attribute 0x%02x", uint8(a.ID))
}

// A Kind is the type of a relocation.
type Kind uint32

// kindNames are the names of relocations as cuobjdump -elf prints them.
var kindNames = map[Kind]string{
	1:   "R_CUDA_32",
	2:   "R_CUDA_64",
	4:   "R_CUDA_G64",
	6:   "R_CUDA_TEX_HEADER_INDEX",
	12:  "R_CUDA_ABS32_23",
	13:  "R_CUDA_ABS32_LO_23",
	14:  "R_CUDA_ABS32_HI_23",
	16:  "R_CUDA_ABS24_23",
	18:  "R_CUDA_ABS16_23",
	25:  "R_CUDA_CONST_FIELD19_23",
	30:  "R_CUDA_TEX_BINDLESSOFF13_45",
	42:  "R_CUDA_ABS32_20",
	43:  "R_CUDA_ABS32_LO_20",
	44:  "R_CUDA_ABS32_HI_20",
	45:  "R_CUDA_ABS24_20",
	46:  "R_CUDA_ABS16_20",
	50:  "R_CUDA_CONST_FIELD19_20",
	51:  "R_CUDA_BINDLESSOFF13_36",
	52:  "R_CUDA_SURF_HEADER_INDEX",
	55:  "R_CUDA_ABS32_32",
	56:  "R_CUDA_ABS32_LO_32",
	57:  "R_CUDA_ABS32_HI_32",
	58:  "R_CUDA_ABS47_34",
	59:  "R_CUDA_ABS16_32",
	65:  "R_CUDA_BINDLESSOFF14_40",
	66:  "R_CUDA_CONST_FIELD21_38",
	68:  "R_CUDA_YIELD_OPCODE9_0",
	69:  "R_CUDA_YIELD_CLEAR_PRED4_87",
	72:  "R_CUDA_UNUSED_CLEAR32",
	73:  "R_CUDA_UNUSED_CLEAR64",
	74:  "R_CUDA_ABS24_40",
	75:  "R_CUDA_ABS55_16_34",
	102: "R_CUDA_UNIFIED",
	112: "R_CUDA_UNIFIED32_LO_32",
	113: "R_CUDA_UNIFIED32_HI_32",
	114: "R_CUDA_ABS56_16_34",
	115: "R_CUDA_CONST_FIELD22_37",
}

// String is the relocation's name, "relocation 93" where none has been seen.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("relocation %d", uint32(k))
}
