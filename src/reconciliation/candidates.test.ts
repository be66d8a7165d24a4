// Candidates for an open line: their order, the search, and that none is another merchant's or matched already.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fund } from "../../test/support/ledger.ts";
import { listCandidates } from "./candidates.ts";
import { nameOfItem } from "./list-lines.ts";
import { matchByHand, setAside } from "./resolve.ts";
import { Stage, utrOf } from "./testing.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());

const today = () => Temporal.Now.zonedDateTimeISO(stage.merchant.timeZone).toPlainDate().toString();

const firstLine = async () => (await stage.lines())[0]!.lineId;

async function named(lineId: bigint, search: string | null = null): Promise<string[]> {
  return (await listCandidates(stage.context, { lineId, search })).map(nameOfItem);
}

test("what has the amount of the line comes first, then what is smaller; of its side, and open", async () => {
  const [smaller, equal, larger] = [
    await stage.pay(100n, ["SUCCESS"], { feePaise: 20n, taxPaise: 4n }),
    await stage.pay(300n, ["SUCCESS"]),
    await stage.pay(301n, ["SUCCESS"]),
  ];
  const [shown, aside] = [await stage.pay(300n, ["SUCCESS"]), await stage.pay(300n, ["SUCCESS"])];
  const back = await stage.pay(300n, ["SUCCESS", "REVERSED"]);
  const { fundingId } = await fund(stage.db, stage.merchant, 300n, "ICICN52026112000000009");
  await stage.take([
    { reference: utrOf(shown), out: 300n, day: today() },
    { narration: "IMPS", out: 300n, day: today() },
    { narration: "RETURN", in: 300n, day: today() },
  ]);
  await setAside(stage.context, { target: { kind: "paid", subjectId: aside.transferId }, reason: "Asked" });
  const [, out, came] = await stage.lines();
  // The line's amount comes first; payouts of one day are in the order of their ids.
  expect(await named(out!.lineId)).toEqual([
    `paid:${equal.transferId}`,
    `paid:${back.transferId}`,
    `fee:${smaller.transferId}`,
    `paid:${smaller.transferId}`,
  ]);
  expect((await named(came!.lineId)).toSorted()).toEqual(
    [`funding:${fundingId}`, `returned:${back.transferId}`].toSorted(),
  );
  expect(await named(out!.lineId, "3.01")).toEqual([`paid:${larger.transferId}`]);
});

test("a text finds names of either side by UTR, reference or amount", async () => {
  const paid = await stage.pay(100n, ["SUCCESS"]);
  const { fundingId } = await fund(stage.db, stage.merchant, 5_000_000n, "ICICN52026112000000010");
  await stage.take([{ narration: "IMPS", out: 100n }]);
  const lineId = await firstLine();
  const utr = utrOf(paid);
  for (const search of [utr, utr.toLowerCase(), ` ${utr.slice(3)} `, `order-${paid.transferId}`, "₹ 1.00", "1"]) {
    expect(await named(lineId, search)).toContain(`paid:${paid.transferId}`);
  }
  for (const search of ["52026112000000010", "50,000.00"])
    expect(await named(lineId, search)).toEqual([`funding:${fundingId}`]);
  expect(await named(lineId, "nobody%")).toEqual([]);
  expect(await named(lineId, "…")).toEqual([]);
});

test("a payout that was decided since the import is there, and one that is matched no longer is", async () => {
  await stage.take([{ narration: "IMPS", out: 100n }]);
  const lineId = await firstLine();
  expect(await named(lineId)).toEqual([]);
  const paid = await stage.pay(100n, ["SUCCESS"]);
  const [candidate] = await listCandidates(stage.context, { lineId, search: null });
  expect(candidate).toMatchObject({
    kind: "paid",
    subjectId: paid.transferId,
    amountPaise: 100n,
    utr: utrOf(paid),
    reference: `ORDER-${paid.transferId}`,
  });
  await matchByHand(stage.context, { lineIds: [lineId], items: [candidate!], reason: "Asked the bank" });
  await expect(named(lineId)).rejects.toThrow("is already matched");
});

test("nothing of another merchant is offered, and nothing for its lines", async () => {
  const theirs = await stage.pay(100n, ["SUCCESS"]);
  await stage.take([{ narration: "IMPS", out: 100n }]);
  const theirLine = await firstLine();
  await stage.newMerchant();
  await stage.take([{ narration: "IMPS", out: 100n }]);
  const lineId = await firstLine();
  expect(await named(lineId)).toEqual([]);
  expect(await named(lineId, utrOf(theirs))).toEqual([]);
  await expect(named(theirLine)).rejects.toMatchObject({ code: "not_found" });
});
