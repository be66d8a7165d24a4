// Database URLs: how they are read, and which are refused.
import { expect, test } from "vitest";
import { DatabaseAddressError, readAddress } from "./address.ts";

const PLAIN = "postgres://u:p%40ss@db.example:5433/nodal";

test.each([
  [PLAIN, [PLAIN], {}],
  [`${PLAIN}?sslmode=verify-full`, [`${PLAIN}?sslmode=verify-full`], {}],
  [`${PLAIN}?pgbouncer=true`, [PLAIN], { isPooled: true }],
  [`${PLAIN}?pgbouncer=false&a=b`, [`${PLAIN}?a=b`], {}],
  [`${PLAIN}?a=b&pgbouncer=true&c=%3D`, [`${PLAIN}?a=b&c=%3D`], { isPooled: true }],
  ["postgresql:///nodal?host=/run/postgresql", ["postgresql:///nodal?host=/run/postgresql"], {}],
  [`${PLAIN}?target_session_attrs=read-write`, [PLAIN], { needsPrimary: true }],
  [
    "postgres://u:p@one,two:5433,[::1]:5434/d?target_session_attrs=primary&a=b",
    ["postgres://u:p@one/d?a=b", "postgres://u:p@two:5433/d?a=b", "postgres://u:p@[::1]:5434/d?a=b"],
    { needsPrimary: true },
  ],
])("%s is read", (given, urls, found) => {
  expect(readAddress(given)).toEqual({ urls, isPooled: false, needsPrimary: false, ...found });
});

test.each([
  ["mysql://u@h/d", /begins with postgres:/],
  ["db.example", /begins with postgres:/],
  [`${PLAIN}?pgbouncer=yes`, /pgbouncer=true, or nothing/],
  [`${PLAIN}?target_session_attrs=any`, /target_session_attrs=read-write/],
  ["postgres://u@one,/d", /each side of a comma/],
  ["postgres://u@one:x,two/d", /begins with postgres:/],
])("%s is refused", (given, message) => {
  expect(() => readAddress(given)).toThrow(DatabaseAddressError);
  expect(() => readAddress(given)).toThrow(message);
});
