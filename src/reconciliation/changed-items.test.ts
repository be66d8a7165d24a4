// Expected items changed with SQL: they are not matched, and their matches can't be undone.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { reconcile } from "./reconcile.ts";
import { matchByHand } from "./resolve.ts";
import { Stage, utrOf } from "./testing.ts";
import { undoMatches } from "./undo.ts";

let stage: Stage;
const reason = "Asked the bank";

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());

const change = (set: string, subjectId: bigint) =>
  stage.db.owner.query(`update clearing_item set ${set} where subject_id = $1`, [subjectId]);
const states = async () => (await stage.lines()).map(({ state }) => state);

test.each([
  ["its reference", "utr_key = 'FORGEDUTR1'"],
  ["its amount", "amount_paise = 99900, utr_key = 'FORGEDUTR1'"],
  ["its amount alone", "amount_paise = 99900"],
  ["its day", "posted_on = posted_on - 9"],
  ["its proof", "proof = null"],
])("a payment with %s changed is matched neither by itself nor by hand", async (_, set) => {
  const [paid, other] = [await stage.pay(600n, ["SUCCESS"]), await stage.pay(700n, ["SUCCESS"])];
  await reconcile(stage.context);
  await change(set, paid.transferId);
  await stage.take([
    { reference: "FORGEDUTR1", out: 600n },
    { reference: "FORGEDUTR1", out: 99_900n },
    { reference: utrOf(paid), out: 600n },
    { reference: utrOf(paid), out: 99_900n },
    { reference: utrOf(other), out: 700n },
  ]);
  expect((await states()).map((state) => state === "matched")).toEqual([false, false, false, false, true]);
  expect(await stage.clearingOf(paid, other)).toEqual([600n, 0n]);
  const items = [{ kind: "paid" as const, subjectId: paid.transferId }];
  for (const { lineId } of (await stage.lines()).slice(0, 4))
    await expect(matchByHand(stage.context, { lineIds: [lineId], items, reason })).rejects.toMatchObject({
      code: "validation_failed",
    });
  expect(await stage.clearingOf(paid)).toEqual([600n]);
});

test("the match of a payment whose amount was changed is not undone", async () => {
  const paid = await stage.pay(600n, ["SUCCESS"], { feePaise: 10n, taxPaise: 2n });
  await stage.take([{ reference: utrOf(paid), out: 612n }]);
  const matchId = (await stage.lines())[0]!.matchId!;
  const undo = () => undoMatches(stage.context, { matchIds: [matchId], reason });
  await change("amount_paise = amount_paise * 10", paid.transferId);
  await expect(undo()).rejects.toThrow("was changed in the database");
  expect(await stage.clearingOf(paid)).toEqual([0n]);
  await change("amount_paise = amount_paise / 10", paid.transferId);
  expect(await undo()).toBe(1);
  expect(await stage.clearingOf(paid)).toEqual([612n]);
  await reconcile(stage.context);
});
