#include <features.h>
