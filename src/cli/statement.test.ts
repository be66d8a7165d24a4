// `nodal statement` and `nodal verify` on known books. The checks of verify are tested in payouts/verify/verify.test.ts.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accept,
  BENEFICIARY_ID,
  claim,
  fund,
  makeSilentMerchants,
  newBeneficiary,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { readPdf } from "../../test/support/pdf.ts";
import { recordEventsOf } from "../../test/support/record-events.ts";
import { nodal, nodalJson } from "../../test/support/nodal.ts";
import type { Merchant } from "../merchants/index.ts";
import { insertBeneficiaries } from "../payouts/beneficiaries/beneficiary-store.ts";
import type { NewTransfer } from "../payouts/transfer-store.ts";

type Statement = Record<"opening_balance" | "closing_balance" | "closing_ledger_balance", string> & {
  readonly opening_ledger_balance: string;
  readonly entries: readonly Record<string, string>[];
};

let db: LedgerDatabase;
let environment: { DATABASE_URL: string };
let merchant: Merchant;
let empty: Merchant;
let paid: NewTransfer;
let failed: NewTransfer;

/** The time of each posting, in order: two in the last second of 31 March in India, the rest in April. */
const POSTED_AT = [
  "2026-03-31T18:29:59Z",
  "2026-03-31T18:29:59Z",
  "2026-03-31T18:30:00Z",
  "2026-04-15T06:30:00Z",
  "2026-04-30T18:29:59Z",
  "2026-04-30T18:30:00Z",
];
/** The entries between them record the start of sending both transfers. */
const POSTING_NUMBERS = [1, 2, 3, 6, 7, 8];

beforeAll(async () => {
  db = await openLedgerDatabase();
  environment = { DATABASE_URL: db.url };
  [merchant, empty] = (await makeSilentMerchants(db, 2)) as [Merchant, Merchant];
  paid = newTransfer(merchant, await db.ids.next(), 30_050n, "=SUM(A1)");
  const payee = { name: "आशा", accountNumber: null, ifsc: null, upi: "asha@upi" };
  const beneficiary = newBeneficiary(merchant, { ...payee, beneficiaryId: await db.ids.next() });
  await insertBeneficiaries(db.server, [beneficiary]);
  failed = {
    ...newTransfer(merchant, await db.ids.next(), 20_000n, 'invoice 7, "late"'),
    beneficiaryId: beneficiary.beneficiaryId,
    payee,
    mode: "upi",
    railMode: "UPI",
  };
  await fund(db, merchant, 100_000n, "NEFT-1");
  await accept(db.server, [paid]);
  await accept(db.server, [failed]);
  await claim(db.server, [paid, failed]);
  await report(db.server, paid, "SUCCESS");
  await report(db.server, failed, "FAILED");
  await report(db.server, paid, "REVERSED");
  for (const [index, postedAt] of POSTED_AT.entries()) {
    await db.owner.query("update journal set created_at = $1 where merchant_id = $2 and entry_no = $3", [
      postedAt,
      merchant.merchantId,
      POSTING_NUMBERS[index],
    ]);
  }
  await db.owner.query(
    `update transfer set added_at = posted.first_at, processed_at = posted.last_at
     from (
       select subject_id, min(created_at) as first_at, max(created_at) as last_at from journal
       where merchant_id = $1 and kind is not null group by subject_id
     ) as posted
     where transfer.merchant_id = $1 and transfer.transfer_id = posted.subject_id`,
    [merchant.merchantId],
  );
  await db.owner.query(
    `insert into simulator.payment (
       bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr, acknowledged)
     values ($1, $2, $3, $4, 'IMPS', 'Asha Rao', 'REVERSED', $5, true)`,
    [paid.bucket, paid.merchantId, paid.transferId, paid.amountPaise, `UTR${paid.transferId}`],
  );
  for (const { merchantId } of [merchant, empty]) {
    await recordEventsOf(db.server, merchantId, "merchant.created", [merchantId]);
    await recordEventsOf(db.server, merchantId, "beneficiary.created", [BENEFICIARY_ID]);
  }
  await recordEventsOf(db.server, merchant.merchantId, "beneficiary.created", [beneficiary.beneficiaryId]);
});
afterAll(() => db.close());

function statement(...args: string[]): Promise<Statement> {
  return nodalJson<Statement>(environment, "statement", "--merchant", String(merchant.merchantId), ...args);
}

describe("nodal statement", () => {
  test("lists every entry with the balances that it leaves", async () => {
    const { entries, ...head } = await statement();
    expect(head).toEqual({
      merchant_id: String(merchant.merchantId),
      from: "",
      to: "",
      time_zone: "Asia/Kolkata",
      opening_balance: "0.00",
      closing_balance: "1000.00",
      opening_ledger_balance: "0.00",
      closing_ledger_balance: "1000.00",
    });
    expect(
      entries.map((entry) => [entry["kind"], entry["amount"], entry["available_balance"], entry["ledger_balance"]]),
    ).toEqual([
      ["funds_in", "1000.00", "1000.00", "1000.00"],
      ["reserve", "300.50", "699.50", "1000.00"],
      ["reserve", "200.00", "499.50", "1000.00"],
      ["success", "300.50", "499.50", "699.50"],
      ["failed", "200.00", "699.50", "699.50"],
      ["reversed", "300.50", "1000.00", "1000.00"],
    ]);
    expect(entries.map((entry) => entry["description"])).toEqual([
      "Funds received",
      "Transfer to Asha Rao, account XXXX1191: amount set aside",
      "Transfer to आशा, XXXX@upi: amount set aside",
      "Transfer to Asha Rao, account XXXX1191: paid by IMPS",
      "Transfer to आशा, XXXX@upi: not paid, amount given back",
      "Transfer to Asha Rao, account XXXX1191: returned by the bank, amount given back",
    ]);
    expect(entries[0]).toMatchObject({ reference: "NEFT-1", transfer_id: "", utr: "" });
    expect(entries[3]).toEqual({
      entry_no: "6",
      posted_at: "2026-04-15 12:00:00",
      kind: "success",
      description: "Transfer to Asha Rao, account XXXX1191: paid by IMPS",
      reference: "=SUM(A1)",
      transfer_id: String(paid.transferId),
      utr: `UTR${paid.transferId}`,
      debit_account: "held",
      credit_account: "payout_clearing",
      amount: "300.50",
      available_balance: "499.50",
      ledger_balance: "699.50",
    });
  });

  test("a month has its first and last second in the merchant's time zone", async () => {
    const april = await statement("--from", "2026-04-01", "--to", "2026-04-30");
    expect(april).toMatchObject({ opening_balance: "699.50", closing_balance: "699.50" });
    expect(april).toMatchObject({ opening_ledger_balance: "1000.00", closing_ledger_balance: "699.50" });
    expect(april.entries.map((entry) => entry["entry_no"])).toEqual(["3", "6", "7"]);
  });

  test("periods that follow each other meet, and leave nothing out", async () => {
    const parts = await Promise.all([
      statement("--to", "2026-03-31"),
      statement("--from", "2026-04-01", "--to", "2026-04-15"),
      statement("--from", "2026-04-16", "--to", "2026-04-30"),
      statement("--from", "2026-05-01"),
    ]);
    expect(parts.flatMap(({ entries }) => entries)).toEqual((await statement()).entries);
    for (const [index, part] of parts.slice(1).entries()) {
      expect(part.opening_balance).toBe(parts[index]!.closing_balance);
      expect(part.opening_ledger_balance).toBe(parts[index]!.closing_ledger_balance);
    }
  });

  test("a period without entries has balances all the same", async () => {
    const quiet = await statement("--from", "2026-04-16", "--to", "2026-04-16");
    expect(quiet).toMatchObject({ opening_balance: "499.50", closing_balance: "499.50", entries: [] });
    await expect(statement("--from", "0000-01-01", "--to", "9999-12-31")).resolves.toMatchObject({
      closing_balance: "1000.00",
    });
  });

  test("CSV has headings, CR LF, quotes where needed, and no formulas", async () => {
    const { code, stdout } = await nodal(environment, "statement", "--merchant", String(merchant.merchantId), "--csv");
    expect(code).toBe(0);
    const lines = stdout.split("\r\n");
    expect(lines).toHaveLength(8);
    expect(lines[0]).toBe(
      "\uFEFFentry_no,posted_at,kind,description,reference,transfer_id,utr,debit_account,credit_account,amount," +
        "available_balance,ledger_balance",
    );
    expect(lines[2]).toBe(
      `2,2026-03-31 23:59:59,reserve,"Transfer to Asha Rao, account XXXX1191: amount set aside",'=SUM(A1),` +
        `${paid.transferId},UTR${paid.transferId},available,held,300.50,699.50,1000.00`,
    );
    expect(lines[3]).toContain(',"invoice 7, ""late""",');
    expect(lines[7]).toBe("");
  });

  test("a PDF has one line for each payout of the period, and says where it was written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "nodal-statement-"));
    try {
      const file = join(folder, "april.pdf");
      const period = ["--from", "2026-04-01", "--to", "2026-04-30"];
      const args = ["--merchant", String(merchant.merchantId), ...period, "--pdf", file];
      const written = await nodalJson(environment, "statement", ...args);
      const bytes = await readFile(file);
      expect(written).toEqual({ file, bytes: bytes.length });
      const { pages, author } = await readPdf(bytes);
      expect(author).toBe(merchant.name);
      expect(pages[0]).toContain("1 Apr 2026 to 30 Apr 2026");
      const { opening_balance: opening, closing_balance: closing } = await statement(...period);
      expect(pages[0]).toContain(`OPENING BALANCE ₹${opening}`);
      expect(pages[0]).toContain(`CLOSING BALANCE ₹${closing}`);
      const both = await nodal(environment, "statement", ...args, "--csv");
      expect(both.code).not.toBe(0);
      expect(both.stderr).toContain("--csv");
      const elsewhere = await nodal(environment, "statement", ...args.slice(0, -1), join(folder, "none", "april.pdf"));
      expect(elsewhere.code).not.toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("a merchant without entries", async () => {
    const { stdout } = await nodal(environment, "statement", "--merchant", String(empty.merchantId));
    expect(stdout).toContain("No entries.");
    const csv = await nodal(environment, "statement", "--merchant", String(empty.merchantId), "--csv");
    expect(csv.stdout.split("\r\n")).toHaveLength(2);
  });

  test.each([
    ["a date that does not exist", ["--from", "2026-02-29"], "--from must be a date that exists"],
    ["another form of date", ["--to", "20260401"], "--to must be a date that exists"],
    ["a time", ["--to", "2026-04-01T10:00"], "--to must be a date that exists"],
    ["an end before the beginning", ["--from", "2026-04-02", "--to", "2026-04-01"], "--from must not be after --to"],
  ])("refuses %s", async (_, args, message) => {
    const run = await nodal(environment, "statement", "--merchant", String(merchant.merchantId), ...args);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(message);
    expect(run.stdout).toBe("");
  });

  test("refuses a merchant that does not exist", async () => {
    const run = await nodal(environment, "statement", "--merchant", "1", "--json");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("There is no merchant 1");
  });
});

describe("nodal verify", () => {
  test("says that all is well", async () => {
    const verification = await nodalJson(environment, "verify");
    expect(verification).toEqual({
      ok: true,
      merchants: 2,
      postings: 6,
      transfers: 2,
      pending_transfers: 0,
      stale_transfers: 0,
      sealed_events: 0,
      // No server has sealed them.
      unsealed_events: 13,
      seal_links: 0,
      seal_head: expect.any(String) as string,
      violation_count: 0,
      violations: [],
    });
    const forPeople = await nodal(environment, "verify", "--merchant", String(merchant.merchantId));
    expect(forPeople).toMatchObject({ code: 0, stderr: "" });
    expect(forPeople.stdout).toMatch(/ok +yes/);
  });

  test("lists what is broken and fails", async () => {
    await db.owner.query("update transfer set amount_paise = 19999 where transfer_id = $1", [failed.transferId]);
    try {
      const run = await nodal(environment, "verify", "--json");
      expect(run.code).toBe(1);
      const { ok, violations } = JSON.parse(run.stdout);
      expect(ok).toBe(false);
      expect(violations).toHaveLength(3);
      expect(violations).toContainEqual({
        check: "transfer_amount",
        merchant_id: String(merchant.merchantId),
        subject_id: String(failed.transferId),
        message: "amount of posting 3 (reserve): expected 199.99, found 200.00",
      });
      const other = await nodal(environment, "verify", "--json", "--merchant", String(empty.merchantId));
      expect(other.code).toBe(0);
    } finally {
      await db.owner.query("update transfer set amount_paise = 20000 where transfer_id = $1", [failed.transferId]);
    }
  });
});
