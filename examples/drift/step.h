/* The declaration from which the host's code was once written. */
__global__ void step(float dt, int n, double *x);
