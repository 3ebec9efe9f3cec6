// What Swift sees of libzstd: its own header.

#ifndef CZSTD_H
#define CZSTD_H

#include <zstd.h>

#endif
