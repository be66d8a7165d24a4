// A process's record of its claims. claims.test.ts tests it with a database.
import { beforeEach, expect, test } from "vitest";
import { ProcessClaims } from "./process-lease.ts";
import { IdSource } from "../../platform/database/ids.ts";

const keyOf = (transferId: bigint) => ({ bucket: 1, merchantId: 2n, transferId });
const listed = (claimId: bigint) => ({ bucket: 1, claimId });
let claims: ProcessClaims;

beforeEach(() => {
  // A database that gives one block of ids after another.
  let block = 0n;
  const query = async () => ({ rows: [{ block: ++block }] });
  claims = new ProcessClaims(7n, new IdSource({ query } as never));
});

/** Writes a claim for some transfers. */
const take = (...transferIds: bigint[]): Promise<bigint> =>
  claims.use(async ({ claimId }) => {
    for (const transferId of transferIds) claims.add(claimId, keyOf(transferId));
    return claimId;
  });

test("a claim is known while it is written, while something is in hand under it, and until its row is gone", async () => {
  let during = false;
  const claimId = await claims.use(async (claim) => {
    during = claims.knows(claim.claimId);
    claims.add(claim.claimId, keyOf(1n));
    claims.add(claim.claimId, keyOf(2n));
    return claim.claimId;
  });
  expect([during, claims.knows(claimId)]).toEqual([true, true]);
  claims.settle({ transferId: 1n, claimId });
  expect(claims.listDone()).toEqual([]);
  claims.settle({ transferId: 2n, claimId });
  claims.settle({ transferId: 2n, claimId });
  expect([claims.listDone(), claims.knows(claimId)]).toEqual([[listed(claimId)], true]);
  claims.forget([listed(claimId)]);
  expect([claims.listDone(), claims.knows(claimId)]).toEqual([[], false]);
});

test("each has an id of its own, and one that failed or took nothing is not known", async () => {
  const ids: bigint[] = [];
  await expect(
    claims.use(async ({ claimId }) => {
      ids.push(claimId);
      throw new Error("lost");
    }),
  ).rejects.toThrow("lost");
  ids.push(await take());
  expect(new Set(ids).size).toBe(2);
  expect(ids.map((claimId) => claims.knows(claimId))).toEqual([false, false]);
});

test("what is dropped is in hand still, until it is settled", async () => {
  const claimId = await take(1n, 2n);
  claims.drop({ ...keyOf(1n), claimId });
  claims.drop({ ...keyOf(9n), claimId });
  expect(claims.listDropped()).toEqual([{ ...keyOf(1n), claimId }]);
  claims.settle({ transferId: 2n, claimId });
  expect(claims.listDone()).toEqual([]);
  claims.settle({ transferId: 1n, claimId });
  expect([claims.listDropped(), claims.listDone()]).toEqual([[], [listed(claimId)]]);
});

test("what comes in hand again is under the new claim, and the old one is done with", async () => {
  const first = await take(1n);
  const second = await take(1n);
  expect([claims.listDone(), claims.knows(second)]).toEqual([[listed(first)], true]);
  claims.settle({ transferId: 1n, claimId: second });
  expect(claims.listDone()).toEqual([listed(first), listed(second)]);
});

test("whoever ends work on an earlier claim takes nothing off the one under which it is in hand again", async () => {
  const first = await take(1n);
  const second = await take(1n);
  claims.settle({ transferId: 1n, claimId: first });
  claims.drop({ ...keyOf(1n), claimId: first });
  expect([claims.listDone(), claims.listDropped()]).toEqual([[listed(first)], []]);
  claims.drop({ ...keyOf(1n), claimId: second });
  expect(claims.listDropped()).toEqual([{ ...keyOf(1n), claimId: second }]);
});
