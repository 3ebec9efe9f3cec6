#include "CTypeData.h"

// `#embed` is C23; clang accepts it in older modes with a warning about the extension.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t table[] = {
#embed "types.tsv"
};

#pragma clang diagnostic pop

const uint8_t *ctypedata_table_bytes(void) { return table; }

size_t ctypedata_table_length(void) { return sizeof table; }
