// What Swift sees of ncursesw: its own header, and what that has as macros, as variadic functions, or as
// types whose size depends on how it was built.

#ifndef CCURSES_H
#define CCURSES_H

#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <wchar.h>

// Both are macros of common names.
#undef lines
#undef columns

/// Takes the terminal of standard input and output. NULL where it is none that is known.
static inline SCREEN *ccurses_begin(void) { return newterm(NULL, stdout, stdin); }

/// The window that is as large as the terminal.
static inline WINDOW *ccurses_screen(void) { return stdscr; }

/// Has the whole terminal drawn anew, whatever stands there.
static inline void ccurses_distrust(void) { clearok(curscr, TRUE); }

enum ccurses_attribute {
  ccurses_bold = 1,
  ccurses_reversed = 2,
  ccurses_underlined = 4,
};

static inline attr_t ccurses_attributes(int attributes) {
  return (attributes & ccurses_bold ? A_BOLD : A_NORMAL) |
      (attributes & ccurses_reversed ? A_REVERSE : A_NORMAL) |
      (attributes & ccurses_underlined ? A_UNDERLINE : A_NORMAL);
}

/// Puts printable ASCII at a place, with the attributes of `ccurses_attribute` and the colours of a pair.
static inline void ccurses_put_ascii(
    int row, int column, const char *text, int length, int attributes, short pair) {
  wattr_set(stdscr, ccurses_attributes(attributes), pair, NULL);
  mvwaddnstr(stdscr, row, column, text, length);
}

/// Puts one character with the marks that stand on it at a place.
static inline void ccurses_put_character(
    int row, int column, const wchar_t *text, int attributes, short pair) {
  cchar_t cell;
  if (setcchar(&cell, text, ccurses_attributes(attributes), pair, NULL) == OK)
    mvwadd_wch(stdscr, row, column, &cell);
}

/// The columns that the C library, and so ncurses, takes a character to have; -1 for one it does not know.
static inline int ccurses_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

enum ccurses_input { ccurses_nothing, ccurses_text, ccurses_key };

/// What somebody has typed: nothing, a character, or a key with one of the numbers of ncurses.
static inline enum ccurses_input ccurses_read(uint32_t *value) {
  wint_t code = 0;
  int kind = wget_wch(stdscr, &code);
  *value = (uint32_t)code;
  return kind == ERR ? ccurses_nothing : kind == KEY_CODE_YES ? ccurses_key : ccurses_text;
}

enum ccurses_button {
  ccurses_no_button,
  ccurses_left,
  ccurses_middle,
  ccurses_right,
  ccurses_wheel_up,
  ccurses_wheel_down,
};

/// The button that was pressed, and where.
static inline enum ccurses_button ccurses_mouse(int *row, int *column) {
  MEVENT event;
  if (getmouse(&event) != OK) return ccurses_no_button;
  *row = event.y;
  *column = event.x;
  if (event.bstate & BUTTON4_PRESSED) return ccurses_wheel_up;
  if (event.bstate & BUTTON5_PRESSED) return ccurses_wheel_down;
  if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) return ccurses_left;
  if (event.bstate & (BUTTON2_PRESSED | BUTTON2_CLICKED)) return ccurses_middle;
  if (event.bstate & (BUTTON3_PRESSED | BUTTON3_CLICKED)) return ccurses_right;
  return ccurses_no_button;
}

/// Asks the terminal to tell of buttons that are pressed, at once.
static inline void ccurses_ask_for_mouse(void) {
  mousemask(
      BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
  mouseinterval(0);
}

/// Whether the locale has a mouse, as far as what is known of the terminal tells.
static inline int ccurses_has_mouse(void) {
  const char *mouse = tigetstr("kmous");
  return mouse && mouse != (const char *)-1;
}

/// What a terminal is told for something that its description names, such as `rmcup`; NULL where it has none.
static inline const char *ccurses_capability(const char *name) {
  const char *text = tigetstr(name);
  return text == (const char *)-1 ? NULL : text;
}

/// The size of the terminal behind a descriptor. Returns 0, or -1 where it has none.
static inline int ccurses_size(int descriptor, int *rows, int *columns) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return -1;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}

/// Has characters understood as UTF-8, whatever language is set: names are shown as such everywhere here.
static inline int ccurses_use_utf8(void) {
  static const char *const names[] = {"", "C.UTF-8", "C.utf8", "en_US.UTF-8", "UTF-8"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_CTYPE, names[i]) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return 1;
  }
  return 0;
}

#endif
