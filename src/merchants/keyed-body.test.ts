// Large bodies that arrive together: parsed one at a time, with time for other work in between. test/wire/outsiders.test.ts tests
// over HTTP what is read for whom.
import { Readable } from "node:stream";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { MOST } from "../platform/http/body-capacity.ts";
import type { Authenticator, Caller } from "./keys/authenticate.ts";
import { KeyedBodies } from "./body-key-routes.ts";

const VALUES = 100_000;

/** An authenticator whose keys are merchant numbers. */
const authenticator = {
  acceptKeys: async ({ accessKeyId }: { accessKeyId: unknown }) =>
    ({ merchant: { merchantId: BigInt(accessKeyId as string) } }) as Caller,
  mayGuess: () => Promise.resolve(true),
} as unknown as Authenticator;

function bodyOf(merchant: string, values: number): Buffer {
  const list = Array.from({ length: values }, (_, index) => index);
  return Buffer.from(JSON.stringify({ access_key_id: merchant, secret_access_key: "s", list }));
}

function read(bodies: KeyedBodies, bytes: Buffer): Promise<object> {
  const limits = { limitBytes: 8 * 1024 * 1024, capacity: MOST };
  const request = { headers: {}, payload: Readable.from([bytes]), address: "127.0.0.1", ...limits };
  return bodies.read(request, null, () => {});
}

test("a large body waits for its turn, merchants one after the other; a small one does not wait", async () => {
  const bodies = new KeyedBodies(authenticator);
  const done: string[] = [];
  const send = (merchant: string, values: number, name: string): Promise<void> =>
    read(bodies, bodyOf(merchant, values)).then(() => void done.push(name));
  await Promise.all([
    ...[1, 2, 3].map((number) => send("1", VALUES, `hostile ${number}`)),
    send("2", VALUES, "good"),
    send("2", 1, "small"),
  ]);
  expect(done.indexOf("small")).toBeLessThan(2);
  expect(done.filter((name) => name !== "small")).toEqual(["hostile 1", "hostile 2", "good", "hostile 3"]);
});

test("the next large body is parsed only after a rest of the event loop", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const bodies = new KeyedBodies(authenticator);
    let done = 0;
    const all = Promise.all([1, 2, 3].map(() => read(bodies, bodyOf("1", VALUES)).then(() => (done += 1))));
    for (const expected of [1, 2, 3]) {
      while (done < expected) await turnOfEventLoop();
      for (let turns = 0; turns < 50; turns += 1) await turnOfEventLoop();
      expect(done).toBe(expected);
      vi.advanceTimersToNextTimer();
    }
    await all;
  } finally {
    vi.useRealTimers();
  }
});
