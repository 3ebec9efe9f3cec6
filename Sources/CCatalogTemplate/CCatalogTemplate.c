#include "CCatalogTemplate.h"

// `#embed` is C23; clang accepts it in older modes with a warning about the extension.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t file[] = {
#embed "template.sqlite.zst"
};

#pragma clang diagnostic pop

const uint8_t *ccatalogtemplate_bytes(void) { return file; }

size_t ccatalogtemplate_length(void) { return sizeof file; }
