// The claimed transfers of a process: room for all merchants and for one.
import { expect, test } from "vitest";
import { ClaimedTransfers } from "./dispatch-state.ts";

function transfersOf(merchantId: bigint, count: number, first = 1n) {
  const many = Array.from({ length: count }, (_, index) => index);
  return many.map((index) => ({ bucket: 1, merchantId, transferId: merchantId * 1000n + first + BigInt(index) }));
}

test("one merchant has half of the room, and others the rest", () => {
  const work = new ClaimedTransfers(10);
  const [hostile, good] = [transfersOf(1n, 20), transfersOf(2n, 3)];
  const found = [...work.findRoom([...hostile, ...good])];
  expect(found).toEqual([...hostile.slice(0, 5), ...good]);
  for (const transfer of found) work.add(transfer);
  expect([work.size, work.room, work.merchantsWithoutRoom()]).toEqual([8, 2, [1n, 2n]]);
  expect([...work.findRoom([...hostile, ...transfersOf(3n, 9)])]).toEqual(transfersOf(3n, 1));
  work.remove(hostile[0]!);
  work.remove(hostile[0]!);
  expect([work.size, work.has(good[0]!.transferId)]).toEqual([7, true]);
  for (const transfer of hostile.slice(1, 3)) work.remove(transfer);
  expect([work.size, work.merchantsWithoutRoom()]).toEqual([5, []]);
  expect([...work.findRoom(hostile.slice(5))]).toEqual(hostile.slice(5, 7));
});

test("however many merchants fill what they may, there is room for one more", () => {
  const work = new ClaimedTransfers(1000);
  for (let merchantId = 1n; merchantId <= 5n; merchantId += 1n)
    for (const transfer of work.findRoom(transfersOf(merchantId, 900))) work.add(transfer);
  expect(work.findRoom(transfersOf(6n, 900)).size).toBeGreaterThan(10);
});
