// The throttle of sign-ins, on a clock that the test moves.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { SignInThrottle, type Attempt } from "./sign-in-throttle.ts";

const MINUTE_MS = 60_000;
const STRANGER: Attempt = { account: "asha", address: "192.0.2.1", device: null };

function open(): { throttle: SignInThrottle; clock: { nowMs: number } } {
  const clock = { nowMs: 0 };
  return { throttle: new SignInThrottle(randomBytes(32), () => clock.nowMs), clock };
}

function addressOf(number: number): string {
  return `198.51.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

test("an account takes ten failures in fifteen minutes, from whatever addresses", () => {
  const { throttle, clock } = open();
  for (let count = 0; count < 10; count += 1) throttle.countPassword({ ...STRANGER, address: addressOf(count) });
  const next = (): unknown => throttle.countPassword({ ...STRANGER, address: addressOf(77) });
  expect(next).toThrow(expect.objectContaining({ code: "rate_limited" }));
  throttle.countPassword({ ...STRANGER, account: "ravi" });
  clock.nowMs = 14 * MINUTE_MS;
  expect(next).toThrow("Try again in 1 min");
  clock.nowMs = 15 * MINUTE_MS;
  expect(next).not.toThrow();
});

test("an address takes thirty failures over all accounts; an IPv6 network counts as one address", () => {
  for (const address of [() => "192.0.2.1", (count: number) => `2001:db8:0:7::${count.toString(16)}`]) {
    const { throttle } = open();
    for (let count = 0; count < 30; count += 1) {
      throttle.countPassword({ account: `account ${count}`, address: address(count), device: null });
    }
    const next = { account: "another", address: address(999), device: null };
    expect(() => throttle.countPassword(next)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    throttle.countPassword({ ...next, address: "2001:db8:0:8::1" });
  }
});

test("what turns out well does not count", () => {
  const { throttle } = open();
  for (let count = 0; count < 100; count += 1) throttle.countPassword(STRANGER)();
  for (let count = 0; count < 100; count += 1) throttle.countCode("1")();
  expect(() => throttle.countPassword(STRANGER)).not.toThrow();
});

test("strangers can't keep out a device that has signed in before, which has a count of its own", () => {
  const { throttle } = open();
  const device = throttle.issueDevice("asha");
  for (let count = 0; count < 10; count += 1) throttle.countPassword({ ...STRANGER, address: addressOf(count) });
  expect(() => throttle.countPassword(STRANGER)).toThrow(expect.objectContaining({ code: "rate_limited" }));
  for (let count = 0; count < 10; count += 1) throttle.countPassword({ ...STRANGER, device });
  expect(() => throttle.countPassword({ ...STRANGER, device })).toThrow(
    expect.objectContaining({ code: "rate_limited" }),
  );
});

test("devices of an account take thirty failures together: then they count as strangers do", () => {
  const { throttle } = open();
  const devices = Array.from({ length: 8 }, () => throttle.issueDevice("asha"));
  let taken = 0;
  for (const device of devices) {
    for (let count = 0; count < 10; count += 1) {
      try {
        throttle.countPassword({ ...STRANGER, device });
        taken += 1;
      } catch {
        // Refused: that is what is counted.
      }
    }
  }
  // Of the account, as by strangers, ten more.
  expect(taken).toBe(40);
  throttle.countPassword({ account: "ravi", address: "192.0.2.9", device: throttle.issueDevice("ravi") });
});

test("a device is known for its account only, and nobody can make one up", () => {
  const { throttle } = open();
  for (let count = 0; count < 10; count += 1) throttle.countPassword({ ...STRANGER, address: addressOf(count) });
  const madeUp = `${"A".repeat(16)}.${"A".repeat(43)}`;
  for (const device of [throttle.issueDevice("ravi"), open().throttle.issueDevice("asha"), madeUp, "", "x"]) {
    expect(() => throttle.countPassword({ ...STRANGER, device })).toThrow(
      expect.objectContaining({ code: "rate_limited" }),
    );
  }
});

test("codes are counted by login, mail by account without a word and by address", () => {
  const { throttle } = open();
  for (let count = 0; count < 10; count += 1) throttle.countCode("1");
  expect(() => throttle.countCode("1")).toThrow(expect.objectContaining({ code: "rate_limited" }));
  throttle.countCode("2");
  // A user who is signed in changes the password all the same.
  for (let count = 0; count < 10; count += 1) throttle.countProof("1");
  expect(() => throttle.countProof("1")).toThrow(expect.objectContaining({ code: "rate_limited" }));
  const mail = (count: number): boolean => throttle.countMail({ account: "asha", address: addressOf(count) });
  expect([1, 2, 3, 4].map(mail)).toEqual([true, true, true, false]);
  const fromOne = (count: number): boolean => throttle.countMail({ account: `a${count}`, address: "192.0.2.9" });
  for (let count = 0; count < 10; count += 1) fromOne(count);
  expect(() => fromOne(10)).toThrow(expect.objectContaining({ code: "rate_limited" }));
});
