// verify over invoices: a sound database passes, and each invariant that is broken on purpose is reported.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DRAFT, makeFranchise } from "../../test/support/franchises.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { changeTerms, COMMISSION_CHECKS } from "../franchises/index.ts";
import { verifySnapshot } from "../payouts/verify/verify.ts";
import { Invoicing, PAYEE } from "../../test/support/invoicing.ts";
import { INVOICE_CHECKS } from "./verify-store.ts";

let db: LedgerDatabase;
/** The values of the names in the breakages. */
const ids = new Map<string, bigint>();

beforeAll(async () => {
  db = await openLedgerDatabase();
  const shop = await Invoicing.ofNewMerchant(db, 1_000_000n);
  const franchise = await makeFranchise(db, shop.merchant);
  const other = await makeFranchise(db, shop.merchant);
  const [open, paid] = [await shop.save(), await shop.save({ franchiseId: franchise.franchiseId })];
  const voided = await shop.save();
  await shop.credit(voided, null);
  ids.set("reversed", await shop.pay(open, 3000n));
  await shop.takeBack(ids.get("reversed")!);
  ids.set("settlement", await shop.pay(paid, 11_800n));
  const { note } = await shop.credit(paid, 5900n, { refundTo: PAYEE });
  const terms = { ...DRAFT.terms, commissionType: "Fixed", commissionHundredths: 5000n } as const;
  const fixed = await shop.save({ franchiseId: (await makeFranchise(db, shop.merchant, { terms })).franchiseId });
  await shop.pay(fixed, 11_800n);
  await shop.credit(fixed, 5900n);
  ids.set("fixed", fixed.invoiceId);
  // Commission begun under other terms continues under them, earned or not.
  await shop.pay(await shop.save({ franchiseId: fixed.franchiseId }), 1000n);
  for (const { franchiseId } of [paid, fixed]) {
    const later = { ...DRAFT.terms, commissionHundredths: 2000n };
    await changeTerms({ pool: db.server, merchant: shop.merchant }, { franchiseId, terms: later });
  }
  const after = await shop.save({ franchiseId: franchise.franchiseId });
  ids.set("after", after.invoiceId);
  await shop.pay(after, 11_800n);
  const elder = await shop.save();
  const { customerId, invoiceId } = elder;
  const elders = [invoiceId, (await shop.save({ customerId })).invoiceId];
  const carrier = await shop.save({ customerId, carries: elders });
  ids.set("elder", invoiceId).set("younger", elders[1]!).set("carrier", carrier.invoiceId);
  await shop.pay(carrier, 11_900n);
  ids.set("open", open.invoiceId).set("paid", paid.invoiceId).set("voided", voided.invoiceId);
  ids.set("note", note.creditNoteId).set("refund", note.refund.lastTransferId!).set("other", other.franchiseId);
});
afterAll(() => db.close());

type Breakage = {
  readonly what: string;
  readonly break: string;
  readonly reports: readonly string[];
  /** The findings of one violation. */
  readonly found: string | RegExp;
};

const BREAKAGES: readonly Breakage[] = [
  {
    what: "an invoice says less than its rows come to",
    break: `update invoice set sub_total_paise = sub_total_paise - 1, amount_paise = amount_paise - 1
      where invoice_id = $open`,
    reports: ["gst_document", "invoice_amounts", "invoice_days"],
    found: "99.99, 18.00, 0.00",
  },
  {
    what: "a tax is printed otherwise than it is charged",
    break: `update invoice set content = jsonb_set(content, '{taxes,0,amountPaise}', '"901"') where invoice_id = $open`,
    reports: ["gst_lines", "invoice_amounts"],
    found: "100.00, 18.00, 0.00",
  },
  {
    what: "an invoice counts a payment that was reversed",
    break: "update settlement set reversed_at = null where settlement_id = $reversed",
    reports: ["invoice_paid"],
    found: "0.00",
  },
  {
    what: "a payment is gone",
    break: "delete from settlement where settlement_id = $settlement",
    reports: ["invoice_paid"],
    found: "118.00 on 2026-06-01",
  },
  {
    what: "an invoice was paid on another day than its payment",
    break: `update invoice set paid_date = '2026-06-02' where invoice_id = $paid`,
    reports: ["invoice_days", "invoice_paid"],
    found: "118.00 on 2026-06-02",
  },
  {
    what: "an invoice lacks what its credit note took off",
    break: "update invoice set credited_paise = 11799, status = 'Unpaid' where invoice_id = $voided",
    reports: ["invoice_credited", "invoice_days"],
    found: "117.99, 118.00",
  },
  {
    what: "credit notes credit more than the invoice",
    break: "update credit_note set invoice_id = $paid where invoice_id = $voided",
    reports: ["credit_note_lines", "gst_document", "invoice_credited"],
    found: "0.00, 177.00",
  },
  {
    what: "an unpaid invoice says that it is paid",
    break: "update invoice set status = 'Paid offline' where invoice_id = $open",
    reports: ["invoice_days", "invoice_status"],
    found: "Paid offline",
  },
  {
    what: "an invoice that was credited in full says that it was paid",
    break: "update invoice set status = 'Paid offline' where invoice_id = $voided",
    reports: ["invoice_days", "invoice_status"],
    found: "Paid offline",
  },
  {
    what: "a day counts an invoice too many",
    break: "update invoice_day set invoices = invoices + 1 where filter_by = 'due_date' and status = 'Unpaid'",
    reports: ["invoice_days"],
    found: "2, 118.00, 0.00, 118.00",
  },
  {
    what: "a month adds up to a paisa more than its invoices are paid",
    break: "update invoice_month set paid_paise = paid_paise + 1 where filter_by = 'paid_date'",
    reports: ["invoice_days"],
    found: "1, 118.00, 118.01, 0.00",
  },
  {
    what: "a day is not counted",
    break: "delete from invoice_day where filter_by = 'bill_date' and status = 'Unpaid'",
    reports: ["invoice_days"],
    found: "0, 0.00, 0.00, 0.00",
  },
  {
    what: "a number of a series was left out",
    break: "update invoice set invoice_number = 'INV-2627-00010' where invoice_number = 'INV-2627-00009'",
    reports: ["gst_document", "series_numbers"],
    found: "9 of 9 documents from 1 to 10",
  },
  {
    what: "a number was taken and not used",
    break: "update number_counter set last_number = last_number + 1",
    reports: ["series_numbers"],
    found: "3 of 3 documents from 1 to 3",
  },
  {
    what: "a number is not of its series",
    break: "update credit_note set credit_note_number = 'X-1' where credit_note_id = $note",
    reports: ["gst_document", "series_numbers"],
    found: "2 of 3 documents from 1 to 3",
  },
  {
    what: "an invoice is not in the tax register",
    break: "delete from gst_document where document_id = $open",
    reports: ["gst_document", "gst_line_rows"],
    found: "not registered",
  },
  {
    what: "an invoice is cancelled in the tax register alone",
    break: "update gst_document set cancelled_at = now() where document_id = $paid",
    reports: ["gst_document"],
    found: / \| t \| t \| tax_invoice \| /,
  },
  {
    what: "the tax register keeps an earlier revision beside the current one",
    break: `insert into gst_document select (jsonb_populate_record(gst_document, '{"revision": 2}')).*
      from gst_document where document_id = $open`,
    reports: ["gst_document"],
    found: /tax_invoice/,
  },
  {
    what: "a line of the tax register has a paisa too much tax",
    break: "update gst_document set lines[1].cgst_paise = lines[1].cgst_paise + 1 where document_id = $open",
    reports: ["gst_lines"],
    found: "100.00, 0.00, 9.01, 9.00, 0.00, 0.00",
  },
  {
    what: "a line of a credit note is gone",
    break: "update gst_document set lines = '{}' where document_id = $note",
    reports: ["gst_lines"],
    found: "0.00, 0.00, 0.00, 0.00, 0.00, 0.00",
  },
  {
    what: "a line of the tax register has another code",
    break: "update gst_document set lines[1].hsn = '8471' where document_id = $open",
    reports: ["gst_line_rows"],
    found: /^8471 \| /,
  },
  {
    what: "a credit note's taxes do not add up",
    break: `update credit_note set tax_paise = tax_paise + 1, taxable_paise = taxable_paise - 1 where credit_note_id = $note`,
    reports: ["credit_note_amounts", "credit_note_lines"],
    found: "9.01",
  },
  {
    what: "a credit note's rows do not add up",
    break: `update credit_note set lines = jsonb_set(lines, '{0,taxesPaise,0}', '"451"') where credit_note_id = $note`,
    reports: ["credit_note_lines"],
    found: "50.00 and 9.00",
  },
  {
    what: "a row is credited beyond its amount",
    break: `update credit_note set lines = jsonb_set(lines, '{0,line}', '2') where credit_note_id = $note`,
    reports: ["credit_note_lines"],
    found: "50.00",
  },
  {
    what: "more was refunded than was owed",
    break: `update credit_note set refund_paise = 5899, reduces_due_paise = 1 where credit_note_id = $note`,
    reports: ["credit_note_refund", "invoice_credited"],
    found: "59.00, in 1 transfers",
  },
  {
    what: "a refund's transfer is none",
    break: "update credit_note_refund set transfer_id = 7 where transfer_id = $refund",
    reports: ["credit_note_refund"],
    found: "0.00, in 0 transfers",
  },
  {
    what: "a reversed payment keeps its commission",
    break: `update settlement set reversed_at = now() where settlement_id = $settlement;
      update invoice set paid_paise = 0, paid_date = null, status = 'Unpaid' where invoice_id = $paid`,
    reports: ["commission_standing", "invoice_days"],
    found: "5.00",
  },
  {
    what: "a fixed commission stands on more than credit notes leave",
    break: "update commission set reversed_paise = reversed_paise - 1 where invoice_id = $fixed",
    reports: ["commission_reversed", "commission_standing"],
    found: "25.01",
  },
  {
    what: "a fixed commission stands while something is due",
    break: `update settlement set amount_paise = amount_paise - 1 where invoice_id = $fixed;
      update invoice set paid_paise = paid_paise - 1, status = 'Partially paid' where invoice_id = $fixed`,
    reports: ["commission_standing", "invoice_days"],
    found: "25.00",
  },
  {
    what: "a commission stands that is not that of the terms which the invoice keeps",
    break: "update commission_rate set commission_hundredths = 1000 where invoice_id = $after",
    reports: ["commission_standing"],
    found: "20.00",
  },
  {
    what: "a commission is on no invoice",
    break: "update commission set invoice_id = 7 where settlement_id = $settlement",
    reports: ["commission_source", "commission_standing"],
    found: "one of another invoice",
  },
  {
    what: "dues are carried that moved from nowhere",
    break: `update invoice set carried_to = null, carried_due_paise = 0 where invoice_id = $elder`,
    reports: ["carried_dues", "passed_on_order"],
    found: "236.00",
  },
  {
    what: "a payment is passed on that was reversed",
    break: `update settlement set reversed_at = now() where invoice_id = $carrier;
      update invoice set paid_paise = 0, paid_date = null, status = 'Unpaid' where invoice_id = $carrier`,
    reports: ["invoice_days", "passed_on_order", "passed_on_payments"],
    found: "1.00",
  },
  {
    what: "newer dues are settled before older ones",
    break: `update settlement set amount_paise = case invoice_id when $elder then 100 else 11800 end
      where invoice_id in ($elder, $younger);
      update invoice set paid_paise = case invoice_id when $elder then 100 else 11800 end
      where invoice_id in ($elder, $younger);
      update invoice set status = case invoice_id when $elder then 'Carried forward' else 'Paid offline' end
      where invoice_id in ($elder, $younger)`,
    reports: ["passed_on_order"],
    found: "1.00",
  },
  {
    what: "a commission was earned on an invoice of another franchise",
    break: "update invoice set franchise_id = $other where invoice_id = $paid",
    reports: ["commission_source", "invoice_days"],
    found: "an invoice of another franchise",
  },
];

/** Runs SQL as the owner in a transaction, verifies inside it, and rolls it back. */
async function verifyBroken(statement: string) {
  const connection = await db.owner.connect();
  try {
    await connection.query("begin");
    await connection.query(statement.replace(/\$([a-z]+)/g, (_, name: string) => String(ids.get(name))));
    return await verifySnapshot(connection, null, [...COMMISSION_CHECKS, ...INVOICE_CHECKS]);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}

test("a sound database passes", async () => {
  expect((await verifyBroken("select")).violations).toEqual([]);
});

test.each(BREAKAGES.map((breakage) => [breakage.what, breakage] as const))("%s", async (_, breakage) => {
  const { violations } = await verifyBroken(breakage.break);
  expect([...new Set(violations.map(({ check }) => check))].sort()).toEqual(breakage.reports);
  expect(violations.map(({ found }) => found)).toContainEqual(
    typeof breakage.found === "string" ? breakage.found : expect.stringMatching(breakage.found),
  );
});

test("every check of invoices has a breakage", () => {
  const broken = new Set(BREAKAGES.flatMap(({ reports }) => reports));
  expect(INVOICE_CHECKS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});
