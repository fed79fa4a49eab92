// A scanner and a calculator by recursive descent: small records, sub-word values, many calls.
#include "device.h"

#pragma omp declare target

typedef enum { End, Number, Name, Symbol } Kind;
typedef struct { const char *at, *end; int line; short column; } Cursor;
typedef struct { Kind kind; const char *text; unsigned short length; double value; } Token;
typedef struct { Token token; Cursor rest; } Step; // 56 bytes: the result goes through memory
typedef struct { double value; Cursor rest; bool ok; } Result;
typedef double (*Lookup)(const char *, unsigned short);

DEVICE NOINLINE bool digit(char c) { return c >= '0' && c <= '9'; }
DEVICE NOINLINE bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

DEVICE NOINLINE Cursor advance(Cursor c) {
  if (*c.at == '\n') {
    c.line++;
    c.column = 0;
  } else {
    c.column++;
  }
  c.at++;
  return c;
}

DEVICE NOINLINE Step next(Cursor c) {
  Step s;
  while (c.at < c.end && *c.at <= ' ') c = advance(c);
  s.token.kind = End;
  s.token.text = c.at;
  s.token.value = 0;
  if (c.at < c.end) {
    if (digit(*c.at)) {
      s.token.kind = Number;
      while (c.at < c.end && digit(*c.at)) {
        s.token.value = 10 * s.token.value + (*c.at - '0');
        c = advance(c);
      }
    } else if (letter(*c.at)) {
      s.token.kind = Name;
      while (c.at < c.end && (letter(*c.at) || digit(*c.at))) c = advance(c);
    } else {
      s.token.kind = Symbol;
      c = advance(c);
    }
  }
  s.token.length = (unsigned short)(c.at - s.token.text);
  s.rest = c;
  return s;
}

DEVICE Result expression(Cursor, Lookup, unsigned char depth);

DEVICE NOINLINE Result factor(Cursor c, Lookup find, unsigned char depth) {
  Step s = next(c);
  Result r = {s.token.value, s.rest, 1};
  switch (s.token.kind) {
  case Number: return r;
  case Name: r.value = find(s.token.text, s.token.length); return r;
  case Symbol:
    if (*s.token.text == '-') {
      r = factor(s.rest, find, depth);
      r.value = -r.value;
      return r;
    }
    if (*s.token.text == '(' && depth < 64) {
      r = expression(s.rest, find, (unsigned char)(depth + 1));
      r.rest = next(r.rest).rest;
      return r;
    }
  default: break;
  }
  r.ok = 0;
  return r;
}

DEVICE NOINLINE Result term(Cursor c, Lookup find, unsigned char depth) {
  Result r = factor(c, find, depth);
  while (r.ok) {
    Step s = next(r.rest);
    if (s.token.kind != Symbol || (*s.token.text != '*' && *s.token.text != '/')) break;
    Result f = factor(s.rest, find, depth);
    f.value = *s.token.text == '*' ? r.value * f.value : r.value / f.value;
    r = f;
  }
  return r;
}

DEVICE NOINLINE Result expression(Cursor c, Lookup find, unsigned char depth) {
  Result r = term(c, find, depth);
  while (r.ok) {
    Step s = next(r.rest);
    if (s.token.kind != Symbol || (*s.token.text != '+' && *s.token.text != '-')) break;
    Result t = term(s.rest, find, depth);
    t.value = *s.token.text == '+' ? r.value + t.value : r.value - t.value;
    r = t;
  }
  return r;
}

DEVICE double calculate(const char *text, unsigned n, Lookup find) {
  Cursor c = {text, text + n, 1, 0};
  Result r = expression(c, find, 0);
  return r.ok ? r.value : -1;
}

#pragma omp end declare target
