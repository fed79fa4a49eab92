// A CUDA kernel. The constant bank that a launch fills, field by field, and a device function beside it
struct Camera {
	float3 eye;
	float3 target;
	float  fov;
	bool   ortho;
};

__device__ float4 shade(Camera cam, float2 uv, int depth);

extern "C" __global__ void render(
	uchar4 *image,
	int     width,
	int     height,
	Camera  cam,
	double  time);
