/// The parts of the page that reports are written to, compiled into the library.
///
/// `page.html` has the places for the style, the data and the script; see `ReportPage.swift`.

#ifndef CREPORTPAGE_H
#define CREPORTPAGE_H

#include <stddef.h>
#include <stdint.h>

/// Bytes that live as long as the process and are never written. No zero ends them.
typedef struct {
  const uint8_t *_Nonnull bytes;
  size_t length;
} creportpage_part;

/// The page without its parts.
creportpage_part creportpage_html(void);

/// Its style.
creportpage_part creportpage_css(void);

/// Its script.
creportpage_part creportpage_js(void);

#endif
