#include "CCatalogPage.h"

// `#embed` is C23; clang accepts it in older modes with a warning about the extension.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t html[] = {
#embed "page.html"
};
static const uint8_t icon[] = {
#embed "icon.svg"
};
static const uint8_t page_css[] = {
#embed "page.css"
};
static const uint8_t charts_css[] = {
#embed "css/charts.css"
};
static const uint8_t files_css[] = {
#embed "css/files.css"
};
static const uint8_t page_js[] = {
#embed "page.js"
};
static const uint8_t address_js[] = {
#embed "js/address.js"
};
static const uint8_t api_js[] = {
#embed "js/api.js"
};
static const uint8_t catalog_js[] = {
#embed "js/catalog.js"
};
static const uint8_t changes_js[] = {
#embed "js/changes.js"
};
static const uint8_t chart_js[] = {
#embed "js/chart.js"
};
static const uint8_t columns_js[] = {
#embed "js/columns.js"
};
static const uint8_t details_js[] = {
#embed "js/details.js"
};
static const uint8_t diff_js[] = {
#embed "js/diff.js"
};
static const uint8_t dom_js[] = {
#embed "js/dom.js"
};
static const uint8_t files_js[] = {
#embed "js/files.js"
};
static const uint8_t format_js[] = {
#embed "js/format.js"
};
static const uint8_t frame_js[] = {
#embed "js/frame.js"
};
static const uint8_t grid_js[] = {
#embed "js/grid.js"
};
static const uint8_t growth_js[] = {
#embed "js/growth.js"
};
static const uint8_t icons_js[] = {
#embed "js/icons.js"
};
static const uint8_t map_js[] = {
#embed "js/map.js"
};
static const uint8_t menus_js[] = {
#embed "js/menus.js"
};
static const uint8_t place_js[] = {
#embed "js/place.js"
};
static const uint8_t reports_js[] = {
#embed "js/reports.js"
};
static const uint8_t rows_js[] = {
#embed "js/rows.js"
};
static const uint8_t scroller_js[] = {
#embed "js/scroller.js"
};
static const uint8_t search_js[] = {
#embed "js/search.js"
};
static const uint8_t settings_js[] = {
#embed "js/settings.js"
};
static const uint8_t sunburst_js[] = {
#embed "js/sunburst.js"
};
static const uint8_t texts_js[] = {
#embed "js/texts.js"
};
static const uint8_t tiles_js[] = {
#embed "js/tiles.js"
};
static const uint8_t tree_js[] = {
#embed "js/tree.js"
};
static const uint8_t treemap_js[] = {
#embed "js/treemap.js"
};
static const uint8_t widgets_js[] = {
#embed "js/widgets.js"
};

#pragma clang diagnostic pop

#define FILE(path, type, name) {path, type "; charset=utf-8", name, sizeof name}

static const ccatalogpage_file files[] = {
    FILE("/", "text/html", html),
    FILE("/icon.svg", "image/svg+xml", icon),
    FILE("/page.css", "text/css", page_css),
    FILE("/css/charts.css", "text/css", charts_css),
    FILE("/css/files.css", "text/css", files_css),
    FILE("/page.js", "text/javascript", page_js),
    FILE("/js/address.js", "text/javascript", address_js),
    FILE("/js/api.js", "text/javascript", api_js),
    FILE("/js/catalog.js", "text/javascript", catalog_js),
    FILE("/js/changes.js", "text/javascript", changes_js),
    FILE("/js/chart.js", "text/javascript", chart_js),
    FILE("/js/columns.js", "text/javascript", columns_js),
    FILE("/js/details.js", "text/javascript", details_js),
    FILE("/js/diff.js", "text/javascript", diff_js),
    FILE("/js/dom.js", "text/javascript", dom_js),
    FILE("/js/files.js", "text/javascript", files_js),
    FILE("/js/format.js", "text/javascript", format_js),
    FILE("/js/frame.js", "text/javascript", frame_js),
    FILE("/js/grid.js", "text/javascript", grid_js),
    FILE("/js/growth.js", "text/javascript", growth_js),
    FILE("/js/icons.js", "text/javascript", icons_js),
    FILE("/js/map.js", "text/javascript", map_js),
    FILE("/js/menus.js", "text/javascript", menus_js),
    FILE("/js/place.js", "text/javascript", place_js),
    FILE("/js/reports.js", "text/javascript", reports_js),
    FILE("/js/rows.js", "text/javascript", rows_js),
    FILE("/js/scroller.js", "text/javascript", scroller_js),
    FILE("/js/search.js", "text/javascript", search_js),
    FILE("/js/settings.js", "text/javascript", settings_js),
    FILE("/js/sunburst.js", "text/javascript", sunburst_js),
    FILE("/js/texts.js", "text/javascript", texts_js),
    FILE("/js/tiles.js", "text/javascript", tiles_js),
    FILE("/js/tree.js", "text/javascript", tree_js),
    FILE("/js/treemap.js", "text/javascript", treemap_js),
    FILE("/js/widgets.js", "text/javascript", widgets_js),
};

size_t ccatalogpage_count(void) { return sizeof files / sizeof files[0]; }

ccatalogpage_file ccatalogpage_at(size_t index) { return files[index]; }
