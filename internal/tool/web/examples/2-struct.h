// A struct with holes. Where C leaves bytes that no field has, and how the struct is passed
#include <stdint.h>

struct Particle {
	char   kind;
	double mass;
	float  pos[3];
	short  charge;
	unsigned alive : 1;
	unsigned layer : 5;
};

float energy(struct Particle p, float dt);
