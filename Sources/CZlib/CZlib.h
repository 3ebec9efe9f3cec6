// What Swift sees of zlib: its own header.

#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

#endif
