// Password hashes: argon2id with a separate salt each, off the event loop.
import crypto, { argon2Sync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, expect, test, vi } from "vitest";
import { hashPassword, preparePasswords, UNKNOWN_LOGIN, verifyPassword } from "./password.ts";

const argon2 = vi.spyOn(crypto, "argon2");
// For modules that import it by name.
syncBuiltinESMExports();
afterAll(() => {
  argon2.mockRestore();
  syncBuiltinESMExports();
});

test("a hash is argon2id's, in the PHC format, and says how it was made", async () => {
  const text = await hashPassword("correct horse", "asha");
  const [, name, version, cost, salt, hash] = text.split("$");
  expect([name, version, cost]).toEqual(["argon2id", "v=19", "m=19456,t=2,p=1"]);
  const again = argon2Sync("argon2id", {
    message: "correct horse",
    nonce: Buffer.from(salt!, "base64"),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  expect(hash).toBe(again.toString("base64").replaceAll("=", ""));
});

test("the same password hashes to something else each time", async () => {
  expect(await hashPassword("correct horse", "asha")).not.toBe(await hashPassword("correct horse", "asha"));
});

test("other work goes on meanwhile", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await hashPassword("correct horse", "asha");
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});

test("a password matches its own hash, however its characters are composed, and no other", async () => {
  const hash = await hashPassword("caf\u00e9 au lait", "asha");
  expect(await verifyPassword("cafe\u0301 au lait", hash, "asha")).toBe(true);
  expect(await verifyPassword("cafe au lait", hash, "asha")).toBe(false);
  expect(await verifyPassword("anything", null, "asha")).toBe(false);
});

test("for nobody's password the same work is done as for a wrong one", async () => {
  await preparePasswords();
  const hash = await hashPassword("correct horse", "asha");
  const workOf = async (kept: string | null): Promise<unknown[]> => {
    argon2.mockClear();
    expect(await verifyPassword("guess", kept, "asha")).toBe(false);
    return argon2.mock.calls.map(([kind, { memory, passes, parallelism, tagLength }]) => {
      return { kind, memory, passes, parallelism, tagLength };
    });
  };
  expect(await workOf(null)).toEqual(await workOf(hash));
  expect(await workOf(null)).toHaveLength(1);
});

test("one account that has many passwords checked keeps no other waiting", async () => {
  const order: string[] = [];
  const hash = await hashPassword("correct horse", "good");
  const hostile = Array.from({ length: 20 }, () =>
    hashPassword("correct horse", "hostile").then(
      () => order.push("hostile"),
      (error: unknown) => order.push((error as { code: string }).code),
    ),
  );
  await new Promise(setImmediate);
  const good = verifyPassword("correct horse", hash, "good").then((isRight) => order.push(isRight ? "good" : "wrong"));
  await Promise.all([...hostile, good]);
  // Only the caller who sends too many is refused; the good one runs after the running one and the next.
  expect(order.slice(0, 11)).toEqual(Array(11).fill("unavailable"));
  expect(order.slice(11, 14)).toContain("good");
  expect(order.filter((entry) => entry === "hostile")).toHaveLength(9);
});

test("strangers under many names keep nobody waiting who is known", async () => {
  const order: string[] = [];
  const strangers = Array.from({ length: 24 }, (_, index) =>
    verifyPassword("guess", null, `${UNKNOWN_LOGIN}${index}`).then(() => order.push("stranger")),
  );
  await new Promise(setImmediate);
  const known = hashPassword("correct horse", "device 1").then(() => order.push("known"));
  await Promise.all([...strangers, known]);
  expect(order.indexOf("known")).toBeLessThan(10);
  expect(order).toHaveLength(25);
});
