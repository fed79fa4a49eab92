#include <features.h>
#include <linux/ioctl.h>
