// Checks of address normalisation.
import { expect, test } from "vitest";
import { normaliseAddress } from "./client-address.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["2001:DB8:0:0::1", "2001:db8::1"],
  ["192.0.2.1:5000", "192.0.2.1"],
  ["[2001:db8::1]:5000", "2001:db8::1"],
  ["unknown", null],
  ["", null],
  ["1.2.3", null],
  ["0x7f.1", null],
  [undefined, null],
])("%s is %s", (text, address) => expect(normaliseAddress(text)).toBe(address));
