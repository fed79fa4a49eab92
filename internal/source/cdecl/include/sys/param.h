#include <limits.h>
#include <endian.h>
#define MAXPATHLEN PATH_MAX
