// Kernels in the shapes of real projects. shapes.ptx and shapes.cubin are made of them by
//
//	nvcc -arch=sm_90 -ptx shapes.cu && nvcc -arch=sm_90 -cubin shapes.cu
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

// Quantised matrix products: blocks of weights with a scale of half precision.
struct BlockQ4 {
	half d;
	unsigned char qs[16];
};

struct QuantShape {
	half2 dm;
	unsigned char zero;
	unsigned transposed : 1, bits : 5, : 2, group : 10;
	long long strides[3];
	const BlockQ4 *weights;
	bool accumulate;
};

extern "C" __global__ void mul_mat_q4(QuantShape q, const half *__restrict__ y, float *__restrict__ dst, int ncols, unsigned nrows, half scale)
{
	dst[nrows] = q.weights[ncols].qs[q.zero] + q.group + (q.accumulate ? dst[0] : 0.0f);
}

__global__ void dequantize(half2 dm, const signed char *q, half *out, uint3 ne, long long stride, short zero)
{
	out[stride] = ((half *)&dm)[0];
	out[zero] = out[q[ne.z]];
}

// Attention, with a struct of 40 fields.
struct FlashParams {
	void *q_ptr, *k_ptr, *v_ptr, *o_ptr, *oaccum_ptr;
	long long q_batch_stride, k_batch_stride, v_batch_stride, o_batch_stride;
	unsigned q_row_stride, k_row_stride, v_row_stride, o_row_stride;
	int h, h_k;
	int b, seqlen_q, seqlen_k, seqlen_knew, d, seqlen_q_rounded, seqlen_k_rounded, d_rounded, rotary_dim;
	float scale_softmax, scale_softmax_log2, softcap;
	int *cu_seqlens_q, *cu_seqlens_k;
	unsigned char *block_table;
	long block_table_batch_stride;
	float p_dropout;
	unsigned char p_dropout_in_uint8_t;
	unsigned long long rng_state[2];
	int window_size_left, window_size_right;
	bool is_bf16, is_causal, is_rotary_interleaved;
	int num_splits;
	float *alibi_slopes_ptr;
};

namespace attention {
__global__ void __launch_bounds__(256, 2) flash_fwd(const __grid_constant__ FlashParams params, int split)
{
	((float *)params.o_ptr)[split] = params.is_causal ? params.softcap : params.alibi_slopes_ptr[params.num_splits];
}
}

__global__ void paged_attention(float *out, const half *q, const half *k_cache, const int *block_tables, bool alibi, signed char kv_head, float scale, double base, size_t max_len, const float *const *biases)
{
	out[max_len] = alibi ? scale : (float)base + biases[kv_head][block_tables[0]];
}

// Parameters of a launch of a ray tracer.
enum class Camera : unsigned char { Pinhole, Orthographic, Panoramic };
typedef unsigned long long TraversableHandle;

struct Light {
	float3 position;
	float radius;
	union {
		float3 rgb;
		unsigned texture;
	} emission;
};

struct RayParams {
	TraversableHandle handle;
	uchar4 *frame;
	float4 *accum;
	uint2 size;
	Camera camera;
	float3 eye, u, v, w;
	Light lights[3];
	ushort2 tile;
	cudaTextureObject_t environment;
};

extern "C" __global__ void raygen(RayParams params)
{
	params.accum[params.size.x].x = params.lights[params.size.y].emission.rgb.z + params.eye.y;
}

// Physics, with vectors and unions.
struct Body {
	float4 position;
	float4 velocity;
	union {
		float mass;
		unsigned fixed_id;
	};
	unsigned awake : 1, shape : 3;
	int layer : 12;
	float3 inertia[3];
	double time;
	union {
		struct { float friction, restitution; } solid;
		double viscosity;
	} material[2];
};

__global__ void integrate(Body b, Body *all, float dt, int3 cell, char2 axes)
{
	all[cell.z].time = b.time + dt + b.layer + axes.y;
}

#pragma pack(push, 1)
struct Contact {
	unsigned char kind;
	double depth;
	short pair[2];
	float normal[3];
};
#pragma pack(pop)

extern "C" __global__ void collide(Contact c, int n, Contact *out, unsigned long long *count)
{
	out[n] = c;
	count[0] += c.pair[1];
}

// Descriptors of the tensor memory accelerator.
struct alignas(64) TensorMap {
	unsigned long long opaque[16];
};

__global__ void gemm_tma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, int m, int n, int k, float alpha)
{
	c[m] = alpha * (float)(a.opaque[n] + b.opaque[k]);
}

// Signals: complex numbers, textures and short vectors.
extern "C" __global__ void spectrum(cudaTextureObject_t samples, double2 twiddle, float2 window, double2 *out, short4 mask, ulonglong2 seed, char last)
{
	out[mask.w].x = twiddle.y + window.x + (double)(seed.y + samples) + last;
}

// Images: a filter with a table, an enumeration and the extent of a grid.
enum Border { Clamp, Repeat = 7, Zero = -1 };

struct Filter {
	float taps[3][3];
	Border border;
	dim3 extent;
	char name[5];
};

__global__ void __launch_bounds__(1024) convolve(const unsigned char *in, const Filter f, unsigned char *out, int pitch, Border outside)
{
	out[pitch] = (unsigned char)(f.taps[1][2] * in[f.extent.y] + f.name[4] + outside);
}

// What is in a PTX module and in a cubin alone: an instance of a template.
struct RopeArgs {
	float theta, factor;
	int positions[5];
};

template <class T, int D> __global__ void rope(T *x, const RopeArgs args, T scale)
{
	x[D] = args.theta * scale;
}

#ifdef __CUDACC__
template __global__ void rope<float, 64>(float *, RopeArgs, float);
#endif
