// What a database's URL says, and what is refused.
import { expect, test } from "vitest";
import { DatabaseAddressError, readAddress } from "./address.ts";

const PLAIN = "postgres://u:p%40ss@db.example:5433/nodal";

test.each([
  [PLAIN, { url: PLAIN, isPooled: false }],
  [`${PLAIN}?sslmode=verify-full`, { url: `${PLAIN}?sslmode=verify-full`, isPooled: false }],
  [`${PLAIN}?pgbouncer=true`, { url: PLAIN, isPooled: true }],
  [`${PLAIN}?pgbouncer=false&a=b`, { url: `${PLAIN}?a=b`, isPooled: false }],
  [`${PLAIN}?a=b&pgbouncer=true&c=%3D`, { url: `${PLAIN}?a=b&c=%3D`, isPooled: true }],
  ["postgresql:///nodal?host=/run/postgresql", { url: "postgresql:///nodal?host=/run/postgresql", isPooled: false }],
])("%s is read", (given, found) => {
  expect(readAddress(given)).toEqual(found);
});

test.each([
  ["mysql://u@h/d", /begins with postgres:/],
  ["db.example", /begins with postgres:/],
  [`${PLAIN}?pgbouncer=yes`, /pgbouncer=true, or nothing/],
])("%s is refused", (given, message) => {
  expect(() => readAddress(given)).toThrow(DatabaseAddressError);
  expect(() => readAddress(given)).toThrow(message);
});
