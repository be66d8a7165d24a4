// Saves that are queued together, on a real database with row-level security between merchants: one transaction, each with its own
// result. shared-saves.test.ts tests several merchants; test/ tests HTTP and crashes.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LedgerDatabase } from "../../../test/support/ledger.ts";
import type { NodalError } from "../../platform/errors.ts";
import { actorOf, type Origin } from "../../platform/origin.ts";
import type { InvoiceSaves } from "./invoice-saves.ts";
import { INPUT, type Invoicing } from "../../../test/support/invoicing.ts";
import {
  bringing,
  keyed,
  numbersFrom,
  ORIGIN,
  SavesStage,
  told,
  withNumber,
  YEAR,
} from "../../../test/support/invoice-saves.ts";

let stage: SavesStage;
let db: LedgerDatabase;
let saves: InvoiceSaves;
let shop: Invoicing;

beforeAll(async () => {
  stage = await SavesStage.open();
  ({ db, saves } = stage);
});
beforeEach(async () => {
  shop = await stage.newShop();
});
afterAll(() => stage.close());

const atOnce = (asked: Parameters<SavesStage["atOnce"]>[1], by = shop) => stage.atOnce(by, asked);

const countCommits = () => stage.countCommits(shop);

describe("saves that arrive together", () => {
  test("are written in one transaction, in order, without gaps, each answered with its own", async () => {
    const asked = Array.from({ length: 100 }, (_, index) => ({
      invoices: [{ rows: [{ ...INPUT.rows![0]!, amountPaise: BigInt(index + 1) * 100n }] }],
    }));
    const outcomes = await atOnce(asked);
    expect(told(outcomes)).toEqual(numbersFrom(2, 100));
    for (const [index, outcome] of outcomes.entries()) {
      const [saved] = outcome.status === "fulfilled" ? outcome.value.answer : [];
      const invoice = await shop.read({ invoiceId: BigInt(saved!.invoiceId) });
      expect(invoice.subTotalPaise).toBe(BigInt(index + 1) * 100n);
      expect(invoice.invoiceNumber).toBe(saved!.invoiceNumber);
      expect(String(invoice.amountPaise)).toBe(saved!.amountPaise);
    }
    expect(await countCommits()).toBe(1);
    expect(await shop.violations()).toEqual([]);
  });

  test("have one invoice or several, in different years and with numbers of their own", async () => {
    const before = { billDate: Temporal.PlainDate.from("2026-03-31"), dueDate: Temporal.PlainDate.from("2026-03-31") };
    const outcomes = await atOnce([
      { invoices: [{}, before, {}] },
      { invoices: [withNumber("OWN-1")] },
      { invoices: [before, {}] },
    ]);
    expect(told(outcomes)).toEqual(["00002 INV-2526-00001 00003", "OWN-1", "INV-2526-00002 00004"]);
    expect(await countCommits()).toBe(1);
  });

  test("a refused one neither holds up nor undoes the others, and takes no number", async () => {
    const late = Temporal.PlainDate.from("2020-01-01");
    const outcomes = await atOnce([
      {},
      { templateId: 1n },
      { invoices: [{ customerCode: "Nobody" }] },
      {},
      { invoices: [{}, { franchiseId: 1n }] },
      { invoices: [{ dueDate: late }] },
      { invoices: [withNumber("INV-2627-99999")] },
      { invoices: [{}, withNumber("same"), withNumber("SAME")] },
      {},
    ]);
    expect(told(outcomes)).toEqual([
      "00002",
      "template_not_found",
      "customer_not_found",
      "00003",
      "franchise_not_found",
      "validation_failed",
      "invoice_number_reserved",
      "invoice_number_exists",
      "00004",
    ]);
    const refusal = outcomes[4] as PromiseRejectedResult;
    expect((refusal.reason as NodalError).errors).toMatchObject([{ field: "invoice[1].franchise_id" }]);
    expect(await countCommits()).toBe(1);
    expect(await shop.violations()).toEqual([]);
  });

  test("one that the database refuses is found among the others, which are written all the same", async () => {
    // Given by hand before the series reached it: only the index knows.
    await shop.save();
    await db.owner.query(
      "update invoice set invoice_number = $2, series_id = null where merchant_id = $1 and invoice_number = $3",
      [shop.merchant.merchantId, `${YEAR}00005`, `${YEAR}00002`],
    );
    const outcomes = await atOnce([{}, {}, { invoices: [withNumber("OWN-2")] }, {}, {}]);
    // The counter is at 2: the third of the series would have number 5, and so would every later one.
    expect(told(outcomes)).toEqual(["00003", "00004", "OWN-2", "invoice_number_exists", "invoice_number_exists"]);
  });
});

describe("in one group", () => {
  test("the same number twice is the first one's, whatever its case; a refused one leaves it free", async () => {
    const outcomes = await atOnce([
      { invoices: [{ ...withNumber("N-1"), customerCode: "Nobody" }] },
      { invoices: [withNumber("n-1")] },
      { invoices: [withNumber("N-1")] },
      { invoices: [withNumber("N-2")] },
    ]);
    expect(told(outcomes)).toEqual(["customer_not_found", "n-1", "invoice_number_exists", "N-2"]);
    expect(await countCommits()).toBe(1);
  });

  test("the same Idempotency-Key twice saves once, another request under it conflicts, a refused one leaves it free", async () => {
    const refused = { invoices: [{ customerCode: "Nobody" }] };
    const outcomes = await atOnce([
      { key: keyed("k1") },
      { key: keyed("k1") },
      { key: keyed("k1", "other") },
      { ...refused, key: keyed("k2", "refused") },
      { key: keyed("k2") },
      {},
    ]);
    expect(told(outcomes)).toEqual(["00002", "00002", "idempotency_conflict", "customer_not_found", "00003", "00004"]);
    const replayed = outcomes.map((each) => each.status === "fulfilled" && each.value.replayed);
    expect(replayed).toEqual([false, true, false, false, false, false]);
    expect(told(await atOnce([{ key: keyed("k1") }, { key: keyed("k2") }]))).toEqual(["00002", "00003"]);
  });

  test("a key that another process has taken meanwhile is waited for, and answers as it did there", async () => {
    const other = stage.otherProcess();
    const ask = (from: InvoiceSaves) =>
      from.save(
        { merchant: shop.merchant, origin: ORIGIN, idempotency: keyed("both") },
        { templateId: null, invoices: [INPUT] },
      );
    const answers = await Promise.all([ask(saves), ask(other), ask(saves), ask(other)]);
    expect(new Set(answers.map(({ answer }) => answer[0]!.invoiceNumber)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test("a customer whom an earlier save brings is there for the next one, and no sooner", async () => {
    const outcomes = await atOnce([
      { invoices: [{ customerCode: "New" }] },
      { invoices: [bringing("New"), { customerCode: "New" }] },
      { invoices: [{ customerCode: "New" }] },
      { invoices: [bringing("New")] },
      { invoices: [bringing("Other")] },
      { invoices: [bringing("C1")] },
    ]);
    expect(told(outcomes)).toEqual([
      "customer_not_found",
      "00002 00003",
      "00004",
      "customer_code_exists",
      "00005",
      "customer_code_exists",
    ]);
    const { rows } = await db.owner.query(
      `select customer_code, (select count(*)::integer from customer_group_member member
         where member.merchant_id = customer.merchant_id and member.customer_id = customer.customer_id) as groups
       from customer where merchant_id = $1 order by customer_id`,
      [shop.merchant.merchantId],
    );
    expect(rows).toEqual(["C1", "New", "Other"].map((customer_code) => ({ customer_code, groups: 1 })));
  });

  test("several saves bring customers together, and a refused one brings none", async () => {
    const outcomes = await atOnce([
      { invoices: [bringing("A")] },
      { invoices: [bringing("B"), { customerCode: "Nobody" }] },
      { invoices: [bringing("D")] },
    ]);
    expect(told(outcomes)).toEqual(["00002", "customer_not_found", "00003"]);
    expect(await countCommits()).toBe(1);
    const { rows } = await db.owner.query<{ customer_code: string }>(
      "select customer_code from customer where merchant_id = $1 order by customer_id",
      [shop.merchant.merchantId],
    );
    expect(rows.map((row) => row.customer_code)).toEqual(["C1", "A", "D"]);
  });

  test("the log names each save's own caller, and a message is owed for those that ask for one", async () => {
    const other: Origin = { actor: actorOf("user", "7"), address: null, mayMoveMoney: false };
    const third: Origin = { actor: actorOf("key", "two"), address: "192.0.2.2", mayMoveMoney: true };
    const origins = [ORIGIN, ORIGIN, other, third, ORIGIN, other];
    const begun = Temporal.Now.instant();
    const outcomes = await atOnce(
      origins.map((origin, index) => ({ origin, invoices: [{ notify: index % 2 === 0 }] })),
    );
    expect(told(outcomes)).toEqual(numbersFrom(2, 6));
    expect(await countCommits()).toBe(1);
    const { rows } = await db.owner.query<{ actor: string; address: string | null; created_at: Temporal.Instant }>(
      `select actor, address, journal.created_at, invoice_number from journal join invoice
         on invoice.merchant_id = journal.merchant_id and invoice.invoice_id = journal.subject_id
       where journal.merchant_id = $1 and type = 'invoice.created' and entry_no > 2 order by entry_no`,
      [shop.merchant.merchantId],
    );
    const last = rows.slice(-6);
    expect(last).toMatchObject(
      origins.map(({ actor, address }, index) => ({ actor, address, invoice_number: `${YEAR}0000${index + 2}` })),
    );
    for (const { created_at: at } of last) expect(Temporal.Instant.compare(at, begun)).toBeGreaterThanOrEqual(0);
    const owed = await db.owner.query("select from notification where merchant_id = $1", [shop.merchant.merchantId]);
    expect(owed.rowCount).toBe(3);
  });

  test("a replayed first save does not lend its name to those behind it", async () => {
    await atOnce([{ key: keyed("first") }]);
    const other: Origin = { actor: actorOf("user", "8"), address: null, mayMoveMoney: false };
    expect(told(await atOnce([{ key: keyed("first") }, { origin: other }]))).toEqual(["00002", "00003"]);
    const { rows } = await db.owner.query(
      "select actor, address from journal where merchant_id = $1 order by entry_no desc limit 1",
      [shop.merchant.merchantId],
    );
    expect(rows).toEqual([{ actor: "user:8", address: null }]);
  });
});

describe("a group is bounded", () => {
  test("by the number of its invoices", async () => {
    const asked = Array.from({ length: 30 }, () => ({ invoices: Array.from({ length: 10 }, () => ({})) }));
    expect(
      told(await atOnce(asked))
        .join(" ")
        .split(" "),
    ).toEqual(numbersFrom(2, 300));
    // Twelve saves of ten invoices fit 128.
    expect(await countCommits()).toBe(3);
  });

  test("by how much they say; one that is larger by itself goes alone", async () => {
    const rows = Array.from({ length: 400 }, () => ({ ...INPUT.rows![0]!, description: "x".repeat(200) }));
    const asked = Array.from({ length: 9 }, () => ({ invoices: [{ rows }] }));
    const huge = { invoices: Array.from({ length: 5 }, () => ({ rows })) };
    expect(
      told(await atOnce([...asked, huge, {}]))
        .join(" ")
        .split(" "),
    ).toEqual(numbersFrom(2, 15));
    expect(await countCommits()).toBe(5);
  });
});
