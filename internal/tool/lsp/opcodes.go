package lsp

import (
	"strings"
	"sync"
)

// An opcodeInfo is what completion and hover say of an opcode.
type opcodeInfo struct {
	about     string
	modifiers []string // with their dots, in the order in which they are offered
}

// opcodes are those of the PTX ISA up to 9.0, without their modifiers. What is returned is not to be changed.
var opcodes = sync.OnceValue(func() map[string]opcodeInfo {
	all := make(map[string]opcodeInfo)
	for line := range strings.Lines(opcodeTable) {
		names, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		about, mods, _ := strings.Cut(rest, " : ")
		var list []string
		for word := range strings.FieldsSeq(mods) {
			if group, ok := modifierGroups[word]; ok {
				for one := range strings.FieldsSeq(group) {
					list = append(list, "."+one)
				}
			} else {
				list = append(list, "."+word)
			}
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = opcodeInfo{about, list}
		}
	}
	return all
})

// modifierGroups are modifiers that many opcodes have.
var modifierGroups = map[string]string{
	"INT":   "u16 u32 u64 s16 s32 s64",
	"INT32": "u32 s32",
	"BITS":  "b16 b32 b64",
	"FLOAT": "f16 f16x2 bf16 bf16x2 f32 f32x2 f64",
	"HALF":  "f16 f16x2 bf16 bf16x2",
	"ROUND": "rn rz rm rp",
	"ANY":   "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
	"SPACE": "global local param shared const",
	"CMP":   "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor",
	"SEM":   "relaxed acquire release acq_rel sc",
	"SCOPE": "cta cluster gpu sys",
	"CACHE": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B",
	"GEOM":  "1d 2d 3d a1d a2d cube acube 2dms a2dms",
	"SIMD":  "u32 s32 sat add",
	"VIDEO": "u32 s32 sat min max add",
}

// opcodeTable has a line for opcodes that have the same modifiers: their names, what they do, their modifiers.
const opcodeTable = `
add : the sum : ROUND ftz sat cc INT u16x2 s16x2 FLOAT
sub : the difference : ROUND ftz sat cc INT FLOAT
addc subc : as add and sub, with the carry of the one before : cc u32 s32 u64 s64
mul : the product; of integers its low or high half, or all of it : lo hi wide ROUND ftz sat INT FLOAT
mad : a product and a sum : lo hi wide sat cc ROUND ftz INT f32 f64
madc : a product and a sum, with the carry of the one before : lo hi cc u32 s32 u64 s64
mul24 : the product of 24-bit integers : lo hi INT32
mad24 : a product of 24-bit integers and a sum : lo hi sat INT32
sad : the sum of absolute differences : INT
div : the quotient : approx full ROUND ftz INT f32 f64
rem : the remainder of a division : INT
abs : the absolute value : ftz s16 s32 s64 FLOAT
neg : the negative value : ftz s16 s32 s64 FLOAT
min max : the smaller or the larger of two or three values : ftz NaN xorsign abs relu INT u16x2 s16x2 FLOAT
popc : the number of bits that are set : b32 b64
clz : the number of leading zeros : b32 b64
bfind : the most significant bit that is not the sign : shiftamt u32 u64 s32 s64
fns : the n-th bit that is set : b32
brev : the bits in reverse order : b32 b64
bfe : a field of bits : u32 u64 s32 s64
bfi : a field of bits put into a word : b32 b64
bmsk : a mask of bits : clamp wrap b32
szext : a number of some bits, extended : clamp wrap u32 s32
dp4a : a dot product of four bytes : u32 s32
dp2a : a dot product of two halves and two bytes : lo hi u32 s32
fma : a product and a sum, rounded once : ROUND ftz sat relu oob FLOAT
rcp : the reciprocal : approx ROUND ftz f32 f64
sqrt : the square root : approx ROUND ftz f32 f64
rsqrt : the reciprocal of the square root : approx ftz f32 f64
sin cos : the sine or cosine, approximately : approx ftz f32
lg2 : the logarithm to base 2, approximately : approx ftz f32
ex2 : 2 to the power, approximately : approx ftz f32 f16 f16x2 bf16 bf16x2
tanh : the hyperbolic tangent, approximately : approx f32 f16 f16x2 bf16 bf16x2
testp : whether a number is finite, normal, not a number : finite infinite number notanumber normal subnormal f32 f64
copysign : a number with the sign of another : f32 f64
set : a comparison as a number : CMP ftz u32 s32 INT b16 b32 b64 FLOAT
setp : a comparison as a predicate : CMP ftz INT b16 b32 b64 FLOAT
selp : one of two values, by a predicate : INT b16 b32 b64 f32 f64
slct : one of two values, by the sign of a third : ftz INT b16 b32 b64 f32 f64 s32
and or xor : bit by bit : pred b16 b32 b64
not : each bit inverted : pred b16 b32 b64
cnot : 1 for zero, else 0 : b16 b32 b64
lop3 : any function of three words, bit by bit : b32 or and
shf : two words shifted as one : l r clamp wrap b32
shl : a shift to the left : b16 b32 b64
shr : a shift to the right : INT b16 b32 b64
mov : a copy; also the address of a variable or function, or a vector taken apart or put together : v2 v4 pred b16 b32 b64 b128 INT f32 f64
shfl : a value of another thread of the warp : sync up down bfly idx b32
prmt : bytes of two words, chosen : b32 f4e b4e rc8 ecl ecr rc16
ld : a load : weak relaxed acquire volatile mmio SCOPE SPACE const shared::cta shared::cluster param::entry param::func ca cg cs lu cv nc CACHE unified v2 v4 v8 ANY
ldu : a load of what is the same for all threads : global v2 v4 ANY
st : a store : weak relaxed release volatile mmio async SCOPE global local param shared shared::cta shared::cluster param::func wb cg cs wt CACHE v2 v4 v8 mbarrier::complete_tx::bytes ANY
multimem : an operation on all copies of a multicast address : ld_reduce st red weak relaxed release acc::f16 acc::f32 SCOPE global min max add and or xor v2 v4 v8 u32 u64 s32 s64 b32 b64 f16 f16x2 bf16 bf16x2 f32 f64 e5m2 e5m2x2 e5m2x4 e4m3 e4m3x2 e4m3x4
prefetch : a line brought into a cache : global local L1 L2 L2::evict_last L2::evict_normal const param tensormap
prefetchu : a line brought into the uniform cache : L1
applypriority : a cache priority for a line : global L2::evict_normal
discard : a line of a cache dropped : global L2
createpolicy : a cache policy : fractional range cvt global L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged L2 b64
isspacep : whether an address is in a space : const global local shared shared::cta shared::cluster param param::entry
cvta : an address of a space as a generic one, or back : to const global local shared shared::cta shared::cluster param param::entry u32 u64
cvt : a conversion : rni rzi rmi rpi rn rz rm rp rna rs ftz sat satfinite relu pack scaled::n2::ue8m0 ANY f16 f16x2 bf16 bf16x2 tf32 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1x2 e2m1x4 e2m3x2 e2m3x4 e3m2x2 e3m2x4 ue8m0x2 u4 s4 u2 s2
mapa : an address of another block of the cluster : shared::cluster u32 u64
getctarank : the rank of the block that an address is of : shared::cluster u32 u64
cp : a copy that goes on by itself, or a wait for one : async bulk tensor reduce prefetch commit_group wait_group wait_all read mbarrier arrive noinc ca cg shared shared::cta shared::cluster global mbarrier::complete_tx::bytes bulk_group multicast::cluster tile im2col im2col_no_offs tile::gather4 tile::scatter4 im2col::w im2col::w::128 1d 2d 3d 4d 5d add min max inc dec and or xor noftz L2 L2::cache_hint L2::64B L2::128B L2::256B cta_group::1 cta_group::2 cp_mask ignore_oob b32 b64 u32 u64 s32 s64 f16 bf16 f32 f64
tensormap : a field of a tensor map replaced, or a fence for one : replace cp_fenceproxy tile global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode global shared::cta b1024 b32 b64 tensormap::generic release gpu sync aligned
tex : a texture is read : base level grad GEOM v2 v4 f16x2 f16 f32 s32 u32
tld4 : four texels : r g b a 2d a2d cube acube v4 f32 s32 u32
txq : a property of a texture or sampler : level width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size num_mipmap_levels num_samples b32
istypep : whether a handle is of a kind : texref samplerref surfref
suld : a surface is read : b 1d 2d 3d a1d a2d ca cg cs cv v2 v4 b8 b16 b32 b64 clamp trap zero
sust : a surface is written : b p 1d 2d 3d a1d a2d wb cg cs wt v2 v4 b8 b16 b32 b64 clamp trap zero
sured : an operation on a surface : b p add min max and or 1d 2d 3d u32 u64 s32 s64 b32 b64 clamp trap zero
suq : a property of a surface : width height depth channel_data_type channel_order array_size memory_layout b32
bra : a jump : uni
brx : a jump by an index into a list : idx uni
call : a call of a function : uni
ret : the end of a function : uni
exit : the end of a thread : 
bar : a barrier of the block : sync arrive red warp popc and or u32 pred
barrier : a barrier of the block or cluster : cta cluster sync arrive wait red aligned relaxed release acquire popc and or u32 pred
membar : a fence of memory : cta gl sys proxy alias async
fence : a fence of memory : sc acq_rel acquire release mbarrier_init SCOPE proxy alias async async.global async.shared::cta async.shared::cluster async::generic tensormap::generic sync_restrict::shared::cta sync_restrict::shared::cluster
atom : an operation on memory that nothing comes between, and what was there : SEM SCOPE global shared shared::cta shared::cluster add min max inc dec and or xor exch cas noftz v2 v4 v8 L2::cache_hint b16 b32 b64 b128 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64
red : an operation on memory that nothing comes between : relaxed release async SCOPE global shared shared::cta shared::cluster add min max inc dec and or xor noftz v2 v4 v8 L2::cache_hint mbarrier::complete_tx::bytes b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64
vote : a predicate of all threads of the warp : sync all any uni ballot pred b32
match : which threads of the warp have the same value : sync any all b32 b64
activemask : which threads of the warp are active : b32
redux : an operation over the warp : sync add min max and or xor abs NaN u32 s32 b32 f32
griddepcontrol : what a grid that depends on another waits for : launch_dependents wait
elect : one thread of the warp : sync
mbarrier : a barrier in memory : init inval expect_tx complete_tx arrive arrive_drop test_wait try_wait pending_count noComplete parity relaxed acquire release SCOPE shared shared::cta shared::cluster b64
wmma : a product of matrices by the warp : load store mma a b c d sync aligned row col m16n16k16 m8n32k16 m32n8k16 m8n8k4 m8n8k32 m8n8k128 m16n16k8 global shared shared::cta satfinite xor and popc f16 f32 f64 bf16 tf32 u8 s8 u4 s4 b1 s32
mma : a product of matrices by the warp : sync aligned sp sp::ordered_metadata m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 row col kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X satfinite xor and popc f16 f32 f64 bf16 tf32 e4m3 e5m2 e3m2 e2m3 e2m1 ue8m0 ue4m3 u8 s8 u4 s4 b1 s32
ldmatrix : matrices loaded by the warp : sync aligned m8n8 m16n16 m8n16 x1 x2 x4 trans shared shared::cta b16 b8 b8x16.b6x16_p32 b8x16.b4x16_p64
stmatrix : matrices stored by the warp : sync aligned m8n8 m16n8 x1 x2 x4 trans shared shared::cta b16 b8
movmatrix : a matrix transposed by the warp : sync aligned m8n8 trans b16
wgmma : a product of matrices by four warps : mma_async fence commit_group wait_group sp sync aligned m64n8k16 m64n16k16 m64n32k16 m64n64k16 m64n128k16 m64n256k16 m64n8k8 m64n8k32 satfinite and popc f16 f32 bf16 tf32 e4m3 e5m2 u8 s8 b1 s32
tcgen05 : tensor memory and the products of its matrices : alloc dealloc relinquish_alloc_permit ld st wait cp shift mma commit fence::before_thread_sync fence::after_thread_sync ws sp sync aligned cta_group::1 cta_group::2 shared::cta shared::cluster kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X collector::a::fill collector::a::use collector::a::lastuse collector::a::discard 16x64b 16x128b 16x256b 32x32b 16x32bx2 x1 x2 x4 x8 x16 x32 x64 x128 pack::16b unpack::16b red mbarrier::arrive::one multicast::cluster down 128x256b 4x256b 128x128b 64x128b 32x128b warpx2::02_13 warpx2::01_23 warpx4 b32 b64
setmaxnreg : the registers that a warp may use : inc dec sync aligned u32
clusterlaunchcontrol : blocks of a cluster that have not been launched : try_cancel query_cancel async is_canceled get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z shared::cta mbarrier::complete_tx::bytes multicast::cluster::all v4 b128 b32 pred
alloca : room on the stack : u32 u64
stacksave stackrestore : the stack pointer read, or put back : u32 u64
brkpt : a breakpoint : 
trap : the end of the grid, with an interrupt : 
nanosleep : a pause of some nanoseconds : u32
pmevent : an event of the performance monitor : mask
vadd vsub vabsdiff vmin vmax : of bytes and halves, and a second operation : VIDEO
vshl vshr : a shift of bytes and halves, and a second operation : clamp wrap VIDEO
vmad : a product and a sum of bytes and halves : po shr7 shr15 sat u32 s32
vset : a comparison of bytes and halves, and a second operation : eq ne lt le gt ge VIDEO
vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 : of two halves at once : SIMD
vset2 : a comparison of two halves at once : eq ne lt le gt ge u32 s32 add
vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 : of four bytes at once : SIMD
vset4 : a comparison of four bytes at once : eq ne lt le gt ge u32 s32 add
`
