// Sign-in limits, on a clock that the test controls.
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RateBook } from "../../../test/support/rate-book.ts";
import { RateWindow } from "../../platform/rates/rate-window.ts";
import { SIGN_IN_WINDOW_MS, SignInThrottle, type Attempt } from "./sign-in-throttle.ts";

const MINUTE_MS = 60_000;
const UNKNOWN_LOGIN: Attempt = { account: "asha", address: "192.0.2.1", device: null };

const LIMITED = expect.objectContaining({ code: "rate_limited" });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(): SignInThrottle {
  return new SignInThrottle(randomBytes(32), new RateWindow(new RateBook().take, SIGN_IN_WINDOW_MS));
}

function addressOf(number: number): string {
  return `198.51.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

test("an account takes ten failures in fifteen minutes, from whatever addresses", async () => {
  const throttle = open();
  for (let count = 0; count < 10; count += 1)
    await throttle.countPassword({ ...UNKNOWN_LOGIN, address: addressOf(count) });
  const next = () => throttle.countPassword({ ...UNKNOWN_LOGIN, address: addressOf(77) });
  await expect(next()).rejects.toEqual(LIMITED);
  await throttle.countPassword({ ...UNKNOWN_LOGIN, account: "ravi" });
  vi.advanceTimersByTime(14 * MINUTE_MS);
  await expect(next()).rejects.toThrow("Try again in 1 min");
  vi.advanceTimersByTime(MINUTE_MS);
  await next();
});

test("an address takes thirty failures over all accounts; an IPv6 network counts as one address", async () => {
  for (const address of [() => "192.0.2.1", (count: number) => `2001:db8:0:7::${count.toString(16)}`]) {
    const throttle = open();
    for (let count = 0; count < 30; count += 1) {
      await throttle.countPassword({ account: `account ${count}`, address: address(count), device: null });
    }
    const next = { account: "another", address: address(999), device: null };
    await expect(throttle.countPassword(next)).rejects.toEqual(LIMITED);
    await throttle.countPassword({ ...next, address: "2001:db8:0:8::1" });
  }
});

test("what turns out well does not count", async () => {
  const throttle = open();
  for (let count = 0; count < 100; count += 1) (await throttle.countPassword(UNKNOWN_LOGIN))();
  for (let count = 0; count < 100; count += 1) (await throttle.countCode("1"))();
  await expect(throttle.countPassword(UNKNOWN_LOGIN)).resolves.toBeTypeOf("function");
});

test("strangers can't keep out a device that has signed in before, which has a count of its own", async () => {
  const throttle = open();
  const device = throttle.issueDevice("asha");
  for (let count = 0; count < 10; count += 1)
    await throttle.countPassword({ ...UNKNOWN_LOGIN, address: addressOf(count) });
  await expect(throttle.countPassword(UNKNOWN_LOGIN)).rejects.toEqual(LIMITED);
  for (let count = 0; count < 10; count += 1) await throttle.countPassword({ ...UNKNOWN_LOGIN, device });
  await expect(throttle.countPassword({ ...UNKNOWN_LOGIN, device })).rejects.toEqual(LIMITED);
});

test("devices of an account take thirty failures together: then they count as strangers do", async () => {
  const throttle = open();
  const devices = Array.from({ length: 8 }, () => throttle.issueDevice("asha"));
  let taken = 0;
  for (const device of devices) {
    for (let count = 0; count < 10; count += 1) {
      try {
        await throttle.countPassword({ ...UNKNOWN_LOGIN, device });
        taken += 1;
      } catch {
        // Only failures count.
      }
    }
  }
  // Ten more for the account, as strangers would make.
  expect(taken).toBe(40);
  await throttle.countPassword({ account: "ravi", address: "192.0.2.9", device: throttle.issueDevice("ravi") });
});

test("a device is known for its account only, and nobody can make one up", async () => {
  const throttle = open();
  for (let count = 0; count < 10; count += 1)
    await throttle.countPassword({ ...UNKNOWN_LOGIN, address: addressOf(count) });
  const madeUp = `${"A".repeat(16)}.${"A".repeat(43)}`;
  for (const device of [throttle.issueDevice("ravi"), open().issueDevice("asha"), madeUp, "", "x"]) {
    await expect(throttle.countPassword({ ...UNKNOWN_LOGIN, device })).rejects.toEqual(LIMITED);
  }
});

test("codes are counted by login, mail by account without a word and by address", async () => {
  const throttle = open();
  for (let count = 0; count < 10; count += 1) await throttle.countCode("1");
  await expect(throttle.countCode("1")).rejects.toEqual(LIMITED);
  await throttle.countCode("2");
  // A signed-in user can still change the password.
  for (let count = 0; count < 10; count += 1) await throttle.countProof("1");
  await expect(throttle.countProof("1")).rejects.toEqual(LIMITED);
  const mail = (count: number): Promise<boolean> => throttle.countMail({ account: "asha", address: addressOf(count) });
  const sent: boolean[] = [];
  for (const count of [1, 2, 3, 4]) sent.push(await mail(count));
  expect(sent).toEqual([true, true, true, false]);
  const fromOne = (count: number): Promise<boolean> =>
    throttle.countMail({ account: `a${count}`, address: "192.0.2.9" });
  for (let count = 0; count < 10; count += 1) await fromOne(count);
  await expect(fromOne(10)).rejects.toEqual(LIMITED);
});
