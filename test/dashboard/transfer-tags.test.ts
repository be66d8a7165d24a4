// Tags of payouts: what a tag may be, who may change them, and how lists are narrowed down by them. How pages show them
// is test/browser/transfer-tags.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let viewer: Browser;
let stranger: Browser;
let payee: string;

beforeAll(async () => {
  site = await Installation.start();
  merchant = await site.newMerchant({ fund: "10000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  stranger = await Browser.signIn(site, await newPerson(site, (await site.newMerchant({})).id));
  payee = await merchant.addBeneficiary();
});
afterAll(() => site.stop());

async function pay(reference_id: string, more: Members = {}): Promise<string> {
  const { body } = await owner.post("/transfers", { beneficiary_id: payee, amount: "1.00", reference_id, ...more });
  return String(body["transfer_id"]);
}

async function tagsOf(transferId: string): Promise<unknown> {
  return (await owner.get(`/transfers/${transferId}`)).body["tags"];
}

async function references(query: string): Promise<string[]> {
  const { body } = await owner.get(`/transfers?${query}`);
  return (body["transfers"] as { reference_id: string }[]).map((row) => row.reference_id);
}

/** The changes of a payout's tags in the audit log, the first first. */
async function changesOf(transferId: string): Promise<Members[]> {
  const { body } = await owner.get(`/audit?subject=${transferId}`);
  const entries = body["entries"] as { type: string; before: Members; after: Members }[];
  return entries
    .filter(({ type }) => type.endsWith(".tags_changed"))
    .map(({ type, before, after }) => ({ type, before, after }))
    .toReversed();
}

describe("a payout's tags", () => {
  test("are set with the transfer, changed in any status, and in the audit log", async () => {
    const id = await pay("TAGGED-1", { tags: [" Rent ", "किराया/2026", "A_b-c.d 7"] });
    expect(await tagsOf(id)).toEqual(["Rent", "किराया/2026", "A_b-c.d 7"]);
    const changed = await owner.put(`/transfers/${id}/tags`, { tags: ["June", "rent"] });
    expect([changed.status, changed.body]).toEqual([200, { tags: ["June", "rent"] }]);
    expect((await owner.put(`/transfers/${id}/tags`, { tags: ["June", "rent"] })).status).toBe(200);
    expect((await owner.put(`/transfers/${id}/tags`, { tags: [] })).body).toEqual({ tags: [] });
    expect(await tagsOf(id)).toEqual([]);
    const type = "transfer.tags_changed";
    const first = ["Rent", "किराया/2026", "A_b-c.d 7"];
    expect(await changesOf(id)).toEqual([
      { type, before: { tags: [] }, after: { tags: first } },
      { type, before: { tags: first }, after: { tags: ["June", "rent"] } },
      { type, before: { tags: ["June", "rent"] }, after: { tags: [] } },
    ]);
  });

  test("stay as they are when the request is repeated, and are set if the first request did not get so far", async () => {
    const id = await pay("AGAIN-1", { tags: ["Rent"] });
    expect(await pay("AGAIN-1", { tags: ["Other"] })).toBe(id);
    expect(await tagsOf(id)).toEqual(["Rent"]);
    const later = await pay("AGAIN-2");
    expect(await pay("AGAIN-2", { tags: ["Other"] })).toBe(later);
    expect(await tagsOf(later)).toEqual(["Other"]);
  });

  test("belong to withdrawals and to payouts of a later day too", async () => {
    const withdrawal = (await owner.post("/withdrawals", { amount: "1.00", reference_id: "TAG-W" })).body;
    expect((await owner.put(`/transfers/${withdrawal["transfer_id"]}/tags`, { tags: ["Own"] })).status).toBe(200);
    expect((await changesOf(String(withdrawal["transfer_id"])))[0]).toMatchObject({ type: "withdrawal.tags_changed" });
    const { body } = await owner.get("/withdrawals?tag=own");
    expect((body["transfers"] as Members[]).map(({ tags }) => tags)).toEqual([["Own"]]);
    const scheduled_for = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 2 }).toString();
    const id = await pay("TAG-LATER", { scheduled_for, tags: ["Later"] });
    expect((await owner.put(`/transfers/${id}/tags`, { tags: ["Much later"] })).status).toBe(200);
    expect((await changesOf(id)).map(({ after }) => after)).toEqual([{ tags: ["Later"] }, { tags: ["Much later"] }]);
  });

  test.each([
    ["more than ten", Array.from({ length: 11 }, (_, index) => `t${index}`), "tags"],
    ["no list", "Rent", "tags"],
    ["a longer one", ["x".repeat(33)], "tags[0]"],
    ["other signs", ["ok", "a,b"], "tags[1]"],
    ["a formula", ["=1+1"], "tags[0]"],
    ["a line break", ["a\nb"], "tags[0]"],
    ["no letter or digit", ["- -"], "tags[0]"],
    ["nothing", [" "], "tags[0]"],
    ["the same twice, in another case", ["Rent", "June", "RENT"], "tags[2]"],
  ])("can't be %s: nothing is paid or changed", async (_, tags, field) => {
    const id = await pay("REFUSED-0", { tags: ["Kept"] });
    for (const answer of [
      await owner.put(`/transfers/${id}/tags`, { tags }),
      await owner.post("/transfers", { beneficiary_id: payee, amount: "1.00", reference_id: "REFUSED-1", tags }),
    ]) {
      expect(answer.status).toBe(400);
      expect((answer.body["errors"] as { field: string }[]).map((error) => error.field)).toEqual([field]);
    }
    expect(await tagsOf(id)).toEqual(["Kept"]);
    expect(await references("search=REFUSED-1")).toEqual([]);
  });

  test("of many changes at once are those of one of them", async () => {
    const id = await pay("MANY-1");
    const sets = Array.from({ length: 20 }, (_, set) =>
      Array.from({ length: 10 }, (__, tag) => `set ${set} tag ${tag}`),
    );
    const answers = await Promise.all(sets.map((tags) => owner.put(`/transfers/${id}/tags`, { tags })));
    expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200));
    expect(sets).toContainEqual(await tagsOf(id));
    const changes = await changesOf(id);
    // Each change began with what the one before it had left.
    expect(changes.slice(1).map(({ before }) => before)).toEqual(changes.slice(0, -1).map(({ after }) => after));
  });
});

describe("rights", () => {
  test("who may not make transfers sees tags and changes none; another merchant finds no such payout", async () => {
    const id = await pay("RIGHTS-1", { tags: ["Secret 9"] });
    expect((await viewer.get(`/transfers/${id}`)).body["tags"]).toEqual(["Secret 9"]);
    expect((await viewer.put(`/transfers/${id}/tags`, { tags: [] })).body["code"]).toBe("access_denied");
    const foreign = await stranger.put(`/transfers/${id}/tags`, { tags: ["Stolen"] });
    expect([foreign.status, foreign.body["code"]]).toEqual([404, "transfer_not_found"]);
    expect((await owner.put("/transfers/999/tags", { tags: ["x"] })).status).toBe(404);
    expect((await stranger.get("/transfer-tags?search=secret")).body).toEqual({ tags: [] });
    expect((await stranger.get("/transfers?tag=secret%209")).body["transfers"]).toEqual([]);
    expect(await tagsOf(id)).toEqual(["Secret 9"]);
  });
});

describe("lists", () => {
  const day = Temporal.Now.plainDateISO("Asia/Kolkata").toString();

  beforeAll(async () => {
    for (let each = 1; each <= 5; each += 1) {
      await pay(`L-${each}`, { tags: each % 2 === 1 ? ["Salary", "Odd"] : ["salary"], amount: `${each}.00` });
    }
  });

  test("are narrowed down by a tag in any case, beside other filters, in pages and in both orders", async () => {
    expect(await references("tag=SALARY")).toEqual(["L-5", "L-4", "L-3", "L-2", "L-1"]);
    expect(await references("tag=odd&amount_from=2.00")).toEqual(["L-5", "L-3"]);
    expect(await references(`tag=odd&from=${day}&to=${day}&kind=transfer&sort=added_at`)).toEqual([
      "L-1",
      "L-3",
      "L-5",
    ]);
    expect(await references("tag=odd&kind=commission")).toEqual([]);
    expect(await references("tag=sal")).toEqual([]);
    const pages: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const { body }: { body: Members } = await owner.get(`/transfers?tag=salary&limit=2${after && `&after=${after}`}`);
      pages.push((body["transfers"] as { reference_id: string }[]).map((row) => row.reference_id).join(" "));
      after = body["next"] as string | null;
    }
    expect(pages).toEqual(["L-5 L-4", "L-3 L-2", "L-1"]);
    const csv = String((await owner.get("/transfers.csv?tag=odd")).body);
    const lines = csv.trim().split("\r\n");
    expect(lines[0]).toMatch(/,narrative,tags$/);
    expect(lines.slice(1).map((line) => line.endsWith('"Salary, Odd"'))).toEqual([true, true, true]);
  });

  test("search a tag of very many payouts in bounded steps, and say how far they came", async () => {
    await site.pool.query(
      `insert into transfer_tag (bucket, merchant_id, transfer_id, tag_key, tag, place)
       select bucket, merchant_id, case step when 0 then first else first + 1000000 + step end, 'crowd', 'Crowd', 9
       from (select bucket, merchant_id, max(transfer_id) as first from transfer where merchant_id = $1 group by 1, 2) newest,
         generate_series(0, 20500) as step`,
      [merchant.id],
    );
    const first = (await owner.get("/transfers?tag=crowd")).body;
    expect([first["transfers"], typeof first["next"]]).toEqual([[], "string"]);
    expect(await references(`tag=crowd&after=${String(first["next"])}`)).toEqual(["L-5"]);
    expect(await references("tag=crowd&sort=added_at")).toEqual(["L-5"]);
  });

  test("suggest the merchant's tags by their beginning, spelt as last", async () => {
    expect((await owner.get("/transfer-tags?search=SAL")).body).toEqual({ tags: ["Salary"] });
    await pay("L-6", { tags: ["SALARY"] });
    await pay("L-7", { tags: ["Salt 50.00", "salad"] });
    expect((await owner.get("/transfer-tags?search=sal")).body).toEqual({ tags: ["salad", "SALARY", "Salt 50.00"] });
    expect((await owner.get("/transfer-tags?search=sal&limit=2")).body).toEqual({ tags: ["salad", "SALARY"] });
    expect((await owner.get("/transfer-tags?search=%25")).body).toEqual({ tags: [] });
    expect((await viewer.get("/transfer-tags?limit=200")).body["tags"]).toContain("Odd");
  });
});
