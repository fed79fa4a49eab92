struct big { char c[4224]; };
__global__ void k(big b);
