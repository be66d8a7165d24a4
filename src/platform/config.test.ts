import { fastify } from "fastify";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

test("is complete without any variable, and an empty one counts as not set", () => {
  expect(readConfig({})).toMatchObject({ HOST: "127.0.0.1", PORT: 8080, DATABASE_URL: null, TRUST_PROXY: [] });
  expect(readConfig({ PORT: " " }).PORT).toBe(8080);
});

test("reads every kind of value", () => {
  const config = readConfig({
    PORT: "0",
    TRUST_PROXY: "10.0.0.0/8, ::1",
    IMPS_LIMIT: "200000",
    DATABASE_URL: "postgres://u@h/d",
    LOG_LEVEL: "debug",
  });
  expect(config).toMatchObject({
    PORT: 0,
    TRUST_PROXY: ["10.0.0.0/8", "::1"],
    IMPS_LIMIT: 20_000_000n,
    DATABASE_URL: "postgres://u@h/d",
    LOG_LEVEL: "debug",
  });
});

test.each([
  ["PORT", "http"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["TRANSFER_WAIT_MS", "2s"],
  ["RATE_LIMIT_PER_MINUTE", "0"],
  ["DATABASE_URL", "mysql://h/d"],
  ["TRUST_PROXY", "localhost"],
  ["TRUST_PROXY", "10.0.0.0/33"],
  ["TRUST_PROXY", "0.0.0.0/0"],
  ["TRUST_PROXY", "::/0"],
  ["TRUST_PROXY", "127.0.0.1, 10.0.0.0/00"],
  // Together all addresses, and nearly all addresses.
  ["TRUST_PROXY", "0.0.0.0/1,128.0.0.0/1"],
  ["TRUST_PROXY", "10.0.0.0/7"],
  ["TRUST_PROXY", "::/1,8000::/1"],
  ["TRUST_PROXY", "2000::/3"],
  ["TRUST_PROXY", "f800::/6"],
  // Addresses of IPv4 are compared with ranges of IPv6 in their mapped form.
  ["TRUST_PROXY", "::ffff:0:0/96"],
  ["TRUST_PROXY", "::ffff:0:0/97, ::ffff:128.0.0.0/97"],
  ["TRUST_PROXY", "::ffff:10.0.0.0/103"],
  ["TRUST_PROXY", "::/16"],
  ["TRUST_PROXY", "::1/64"],
  ["TRUST_PROXY", "fe80::1%eth0"],
  ["PUBLIC_URL", "https:nodal.example"],
  ["SMTP_URL", "smtps://"],
  ["LOG_LEVEL", "verbose"],
  ["IMPS_LIMIT", "1e5"],
])("refuses %s=%s with a message that names the variable", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(name);
});

test("all that is wrong is said at once", () => {
  const wrong = { PORT: "http", TRUST_PROXY: "::/0", DATABASE_DIRECT_URL: "postgres://owner@h/d" };
  expect(() => readConfig(wrong)).toThrow(/^PORT must.*\nTRUST_PROXY must.*\nDATABASE_DIRECT_URL needs.*$/);
});

test("every list of proxies that is read is one that the server can use", () => {
  for (const list of [
    "127.1",
    "0x7f.0.0.1/8",
    "::ffff:10.0.0.0/104",
    "::1/128",
    "10.0.0.0/8, 2001:DB8::/32",
    "10.1.2.3/8",
    "fc00::/7",
    "fd00::/8",
    "2400::/16",
    "fe80::/10",
  ]) {
    expect(() => fastify({ trustProxy: readConfig({ TRUST_PROXY: list }).TRUST_PROXY }), list).not.toThrow();
  }
});

test("a way through PgBouncer and the way past it go together", () => {
  const pooled = "postgres://u@pooler/d?pgbouncer=true";
  const direct = "postgres://owner@h/d";
  expect(readConfig({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct })).toMatchObject({
    DATABASE_URL: pooled,
    DATABASE_DIRECT_URL: direct,
  });
  expect(() => readConfig({ DATABASE_URL: pooled })).toThrow(/DATABASE_DIRECT_URL is required/);
  expect(() => readConfig({ DATABASE_URL: direct, DATABASE_DIRECT_URL: direct })).toThrow(/add pgbouncer=true/);
  expect(() => readConfig({ DATABASE_DIRECT_URL: direct })).toThrow(/DATABASE_DIRECT_URL needs a DATABASE_URL/);
  expect(() => readConfig({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: pooled })).toThrow(/PostgreSQL's own URL/);
});
