// Large bodies that arrive together: parsed one at a time, with time for everybody else between two of them. What is
// read for whom is tested over HTTP, in test/wire/outsiders.test.ts.
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { MOST } from "../platform/http/body-capacity.ts";
import type { Authenticator, Caller } from "./authenticate.ts";
import { KeyedBodies } from "./body-key-routes.ts";

const VALUES = 100_000;

/** An authenticator that knows the merchant whose number the key is. */
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

test("between two large bodies the event loop is free for longer than one of them took", async () => {
  const bodies = new KeyedBodies(authenticator);
  let turns = 0;
  const turnsAtEnd: number[] = [];
  let isCounting = true;
  // Each turn of a free event loop, however busy the machine is.
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  count();
  await Promise.all([1, 2, 3].map(() => read(bodies, bodyOf("1", VALUES)).then(() => void turnsAtEnd.push(turns))));
  isCounting = false;
  const between = turnsAtEnd.slice(1).map((at, index) => at - turnsAtEnd[index]!);
  expect(Math.min(...between)).toBeGreaterThan(20);
});
