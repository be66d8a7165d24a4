// Cached files: made once, reused, and never above the size limit.
import { expect, test } from "vitest";
import { KeptFiles } from "./kept-files.ts";

/** Files of so many bytes, and how often each was made. */
function open(maxBytes: number, maxBytesOfOwner: number) {
  const kept = new KeptFiles({ maxBytes, maxBytesOfOwner });
  const made: string[] = [];
  const take = (owner: string, key: string, bytes = 10) =>
    kept.take(owner, key, () => {
      made.push(`${owner} ${key}`);
      return Promise.resolve(new Uint8Array(bytes));
    });
  return { kept, made, take };
}

test("a file is made once, for each owner", async () => {
  const { made, take } = open(100, 50);
  const [first, meanwhile] = await Promise.all([take("a", "1"), take("a", "1")]);
  expect([await take("a", "1"), meanwhile]).toEqual([first, first]);
  await take("b", "1");
  expect(made).toEqual(["a 1", "b 1"]);
});

test("an owner without room loses what it used least recently, and nobody else's goes", async () => {
  const { made, take } = open(100, 30);
  await take("b", "old");
  for (const key of ["1", "2", "3", "1", "4"]) await take("a", key);
  made.length = 0;
  for (const key of ["1", "3", "4"]) await take("a", key);
  await take("b", "old");
  expect(made).toEqual([]);
  await take("a", "2");
  expect(made).toEqual(["a 2"]);
});

test("where there is no room at all, what anybody used least recently goes", async () => {
  const { made, take } = open(50, 30);
  for (const owner of ["a", "b", "c"]) for (const key of ["1", "2"]) await take(owner, key);
  made.length = 0;
  for (const [owner, key] of [
    ["c", "2"],
    ["c", "1"],
    ["b", "2"],
    ["b", "1"],
    ["a", "2"],
  ] as const)
    await take(owner, key);
  expect(made).toEqual([]);
  await take("a", "1");
  expect(made).toEqual(["a 1"]);
});

test("a file larger than an owner's room is given and not kept, and a failure is not kept either", async () => {
  const { kept, made, take } = open(100, 30);
  await take("a", "small");
  expect((await take("a", "large", 31)).length).toBe(31);
  await take("a", "large", 31);
  await take("a", "small");
  expect(made).toEqual(["a small", "a large", "a large"]);
  await expect(kept.take("a", "bad", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect((await take("a", "bad")).length).toBe(10);
});
