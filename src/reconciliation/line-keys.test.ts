// The references of a line: what banks put around them, and personal identifiers, which never are.
import { expect, test } from "vitest";
import { isCharge, keyOf, keysOfLine, paymentIdsIn } from "./line-keys.ts";

test.each([
  ["0000632500000042", "IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT", ["632500000042"]],
  [null, "BY TRANSFER-NEFT*HDFC0000001*HDFCN52026112000001*ASHA--", ["HDFC0000001", "HDFCN52026112000001"]],
  [null, "UPI-ASHA-9876543210@okicici-ICIC0000001-632500000045-rent", ["ICIC0000001", "632500000045"]],
  [null, "TRANSFER TO 9876543210 FROM XXXXXXXX1234", []],
  ["-", "SMS CHARGES", []],
  ["12345", "CHQ 12345", []],
])("%s, %s", (reference, narration, keys) => {
  expect(keysOfLine(reference, narration)).toEqual(expect.arrayContaining(keys));
  const people = /9876543210|X1234|OKICICI$/;
  expect(keysOfLine(reference, narration).filter((key) => people.test(key) && !key.includes("632500"))).toEqual([]);
  if (keys.length === 0) expect(keysOfLine(reference, narration)).toEqual([]);
});

test("a reference of the merchant's is found with its dashes, and never in part", () => {
  const key = keyOf("ORDER-1000123")!;
  expect(keysOfLine(null, "NEFT/ORDER-1000123/RAVI")).toContain(key);
  expect(keysOfLine("order 1000123", "")).toContain(key);
  expect(keysOfLine(null, "NEFT/ORDER-10001234/RAVI")).not.toContain(key);
});

test("payments' ids at providers, in whatever case", () => {
  expect(paymentIdsIn("NABC123_1F_LFLS_1Q", "payout nabc123_1f_lfls_2q")).toEqual([
    "nabc123_1f_lfls_1q",
    "nabc123_1f_lfls_2q",
  ]);
});

test("charges say that they are", () => {
  expect(["GST on fee", "IMPS CHGS NOV", "Service Tax"].map(isCharge)).toEqual([true, true, true]);
  expect(["FEELINGS LTD", "RECHARGE"].map(isCharge)).toEqual([false, false]);
});
