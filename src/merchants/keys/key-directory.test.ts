// The cache of access keys: which keys are queried, when, and how old an answer can be.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import type { OwnedPool } from "../../platform/database/pool.ts";
import type { AccessKeyName } from "./access-key.ts";
import { KeyDirectory } from "./authenticate.ts";

const NAMES: readonly AccessKeyName[] = ["a", "b", "c"].map((letter) => ({
  bucket: 1,
  merchantId: 1000n,
  accessKeyId: `nk_1_1000_${letter}`,
}));

/** A fake database: records the keys of each statement, and finds none of them. */
const asked: string[][] = [];
const answer = vi.fn<() => Promise<{ rows: [] }>>(async () => ({ rows: [] }));
const database = withTestSecrets({
  on: () => {},
  query: ({ values }: { values: [unknown, unknown, string[]] }) => {
    asked.push(values[2].map((accessKeyId) => accessKeyId.slice(-1)));
    return answer();
  },
} as unknown as OwnedPool);

/** Looks up a key, and awaits a look-up that needs no batch. */
async function find(directory: KeyDirectory, name: AccessKeyName): Promise<void> {
  const [result] = await Promise.allSettled([directory.find(name), vi.advanceTimersByTimeAsync(1)]);
  if (result.status === "rejected") throw result.reason;
}

beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test("a key is asked for once in a second; one that was not used meanwhile is asked for by its next request", async () => {
  const directory = new KeyDirectory(database);
  await find(directory, NAMES[0]!);
  await vi.advanceTimersByTimeAsync(500);
  await find(directory, NAMES[0]!);
  expect(asked).toEqual([["a"]]);
  await vi.advanceTimersByTimeAsync(600);
  await find(directory, NAMES[0]!);
  expect(asked).toEqual([["a"], ["a"]]);
});

test("keys in use are refreshed together before they are too old, and no request waits for it", async () => {
  const directory = new KeyDirectory(database);
  for (const name of NAMES) await find(directory, name);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(700);
  for (const name of NAMES) await find(directory, name);
  for (const name of NAMES) await find(directory, name);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.slice(3)).toEqual([["a", "b", "c"]]);
  // Late enough for the first answers to expire, but not the refreshed ones.
  await vi.advanceTimersByTimeAsync(250);
  for (const name of NAMES) await find(directory, name);
  expect(asked).toHaveLength(4);
});

test("a refresh that fails or hangs leaves an answer that is a second old to be asked for again", async () => {
  const directory = new KeyDirectory(database);
  await find(directory, NAMES[0]!);
  await find(directory, NAMES[1]!);
  await vi.advanceTimersByTimeAsync(700);
  answer.mockRejectedValueOnce(new Error("broken"));
  await find(directory, NAMES[0]!);
  answer.mockReturnValueOnce(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(200);
  await find(directory, NAMES[1]!);
  await vi.advanceTimersByTimeAsync(250);
  asked.length = 0;
  await find(directory, NAMES[0]!);
  await find(directory, NAMES[1]!);
  expect(asked).toEqual([["a"], ["b"]]);
});

test("a look-up that failed is nobody else's answer", async () => {
  const directory = new KeyDirectory(database);
  answer.mockRejectedValueOnce(new Error("broken"));
  await expect(find(directory, NAMES[0]!)).rejects.toThrow("broken");
  await find(directory, NAMES[0]!);
  expect(asked).toEqual([["a"], ["a"]]);
});
