// Terms of access keys: parsing and comparing addresses.
import { describe, expect, test } from "vitest";
import { ANY_USE, checkWithin, isAllowedFrom, readAddressRange } from "./key-terms.ts";

test.each([
  ["203.0.113.7", "203.0.113.7/32"],
  ["203.0.113.7/24", "203.0.113.0/24"],
  ["2001:DB8:0:0::1", "2001:db8::1/128"],
  ["2001:db8:1234::/48", "2001:db8:1234::/48"],
  // As the IPv4 address that it contains.
  ["::ffff:203.0.113.7", "203.0.113.7/32"],
  ["::ffff:203.0.113.7/120", "203.0.113.0/24"],
])("%s is stored as %s", (given, stored) => {
  expect(readAddressRange(given)).toBe(stored);
});

test.each([
  ["nothing", ""],
  ["a name", "localhost"],
  ["a part", "203.0.113"],
  ["too large a number", "203.0.113.256"],
  ["hexadecimal", "0x7f.1"],
  ["octal", "017.0.0.1"],
  ["too long a prefix", "203.0.113.7/33"],
  ["no prefix", "203.0.113.7/"],
  ["a zone", "fe80::1%eth0"],
  ["everybody", "0.0.0.0/0"],
  ["everybody over IPv6", "::/0"],
  ["everybody, by a prefix of 0", "10.0.0.0/0"],
  ["every IPv4 address, as IPv6", "::ffff:0.0.0.0/96"],
  ["more than every IPv4 address", "::ffff:0.0.0.0/80"],
])("%s is no range of a key: %s", (_, given) => {
  expect(readAddressRange(given)).toBeNull();
});

test("a key without ranges works from anywhere, one with ranges from within them only", () => {
  expect(isAllowedFrom(ANY_USE, "")).toBe(true);
  const key = { addresses: ["203.0.113.0/24", "2001:db8::/32"] };
  const from = (address: string): boolean => isAllowedFrom(key, address);
  expect(["203.0.113.0", "203.0.113.255", "2001:db8:ffff::1"].map(from)).toEqual([true, true, true]);
  expect(["203.0.112.255", "203.0.114.0", "2001:db9::", "::1", "", "unknown"].map(from)).toEqual(Array(6).fill(false));
});

describe("a key that another key creates", () => {
  const end = Temporal.Instant.from("2027-03-31T18:30:00Z");
  const maker = { expiresAt: end, addresses: ["203.0.113.0/24", "2001:db8::/32"] };

  test.each([
    [maker],
    [{ expiresAt: end.subtract({ hours: 1 }), addresses: ["203.0.113.128/25"] }],
    [{ expiresAt: end, addresses: ["2001:db8:1::/48", "203.0.113.7/32"] }],
  ])("may have its terms or narrower ones: %j", (terms) => {
    expect(() => checkWithin(maker, terms)).not.toThrow();
    expect(() => checkWithin({ expiresAt: null, addresses: [] }, terms)).not.toThrow();
  });

  test.each([
    ["expires_on", { ...maker, expiresAt: null }],
    ["expires_on", { ...maker, expiresAt: end.add({ nanoseconds: 1 }) }],
    ["allowed_addresses", { ...maker, addresses: [] }],
    ["allowed_addresses", { ...maker, addresses: ["203.0.112.0/23"] }],
    ["allowed_addresses", { ...maker, addresses: ["203.0.113.7/32", "198.51.100.1/32"] }],
    ["allowed_addresses", { ...maker, addresses: ["2001:db9::/32"] }],
  ])("has no wider %s", (field, terms) => {
    const refused = expect.objectContaining({ errors: [expect.objectContaining({ field })] });
    expect(() => checkWithin(maker, terms)).toThrow(refused as Error);
  });
});
