// Package gotypes turns Go structs into the C records that a kernel reads. Comments and tags of
// fields add what Go cannot express:
//
//	//ptxabi:align 16          the type's alignment
//	//ptxabi:packed            no padding between fields
//	//ptxabi:type float4       the type is CUDA's float4, half, dim3, ...
//	//ptxabi:ptr global        a uint64 or uintptr is a device pointer
//	//ptxabi:header x.h Name   holds the fields against a record of a header
//
//	`ptxabi:"align=16"`              the field's alignment
//	`ptxabi:"type=float4"`           the field is CUDA's float4
//	`ptxabi:"ptr"`                   a device pointer; ptr=global into a space
//	`ptxabi:"bits=mode:3|:1|bias:-4"` bit-fields, a negative width is signed
//	`ptxabi:"union=I:int32|F:float32"` a [N]byte that holds one of them
//	`ptxabi:"name=n_rows"`           the field's name in C
//
// Options of a tag are separated by commas.
package gotypes
