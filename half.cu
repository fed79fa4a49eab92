// Moves n particles by dt. step.ptx is what this is by hand, in PTX.
extern "C" __global__ void step(double *x, float dt, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += dt;
}
__global__ void bad(nope x);
struct Q { zork z; };
