#include "CReportPage.h"

// `#embed` is C23; clang accepts it in older modes with a warning about the extension.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t html[] = {
#embed "page.html"
};

static const uint8_t css[] = {
#embed "page.css"
};

// One file for people to keep and send, so that nothing can be imported.
static const uint8_t js[] = {
#embed "../CCatalogPage/js/tiles.js"
    ,
#embed "page.js"
};

#pragma clang diagnostic pop

creportpage_part creportpage_html(void) { return (creportpage_part){html, sizeof html}; }

creportpage_part creportpage_css(void) { return (creportpage_part){css, sizeof css}; }

creportpage_part creportpage_js(void) { return (creportpage_part){js, sizeof js}; }
