// What the host and the kernels of a simulation share.
#ifndef SIM_H
#define SIM_H

#include <stdint.h>

enum kind { FREE, BOUND };

struct particle {
	float4 position; // CUDA's own type: 16 bytes, aligned to 16
	float velocity[3];
	unsigned int alive : 1;
	unsigned int group : 7;
	enum kind kind;
	union {
		float charge;
		uint32_t partner;
	};
	double mass;
};

__global__ void step(struct particle p, float dt, struct particle *out, unsigned int n);

#endif
