#include <features.h>
#include <stddef.h>
