struct Range {
	float *x, *y;
	unsigned first, last;
	float scale;
};

extern "C" __global__ void saxpy(unsigned stride, Range r)
{
	for (unsigned i = r.first + threadIdx.x; i < r.last; i += stride)
		r.y[i] += r.scale * r.x[i];
}
