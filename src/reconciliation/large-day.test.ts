// A day of very many lines with every kind of fault: each line and each payment gets its correct result, wherever a server is
// killed, and once however often it is imported. The run prints how long it takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPOSITORY } from "../../test/support/files.ts";
import { accept, applyReports, newTransfer, reportOn } from "../../test/support/ledger.ts";
import { TEST_MASTER_KEY } from "../../test/support/nodal.ts";
import type { PaymentStatus } from "../payouts/rails/rail.ts";
import type { NewTransfer } from "../payouts/transfer-store.ts";
import { formatPaise } from "../platform/money.ts";
import { importStatement } from "./import-statement.ts";
import { reconcile } from "./reconcile.ts";
import { Stage } from "./testing.ts";

/** Batches of a hundred. NODAL_TEST_DAY_PAYMENTS=100000 is the day of docs/testing.md#longer-runs. */
const DAY_PAYMENTS = Number(process.env["NODAL_TEST_DAY_PAYMENTS"] ?? 20_000);
const KILLED_PAYMENTS = 6000;
const BATCH = 200;
const SEEDING_MS = 900_000;
const RUN_MS = 600_000;
const AMOUNT_PAISE = 10_050n;
const FEE = { feePaise: 200n, taxPaise: 36n };

type Line = { readonly reference: string; readonly narration: string; readonly paise: bigint };
/** The bank's report of a payment, and the lines of its statement; `out` is negative. */
type Fate = {
  readonly statuses: readonly PaymentStatus[];
  readonly hasFee?: true;
  readonly lines: (utr: string, order: string) => Line[];
  /** The expected number of lines by result. */
  readonly ends: Readonly<Record<string, number>>;
};

const out = (reference: string, paise = AMOUNT_PAISE, narration = "IMPS PAYOUT"): Line => ({
  reference,
  narration,
  paise: -paise,
});
const came = (reference: string): Line => ({ reference, narration: "IMPS RETURN", paise: AMOUNT_PAISE });

const USUAL: Fate = { statuses: ["SUCCESS"], lines: (utr) => [out(utr)], ends: { matched: 1 } };
/** The unusual payments of each hundred, by position. */
const FATES: Readonly<Record<number, Fate>> = {
  3: { ...USUAL, lines: (utr) => [out(`0000${utr}`)] },
  7: { ...USUAL, lines: (utr) => [out("", AMOUNT_PAISE, `IMPS-${utr}-RAVI KUMAR-SBIN-XXXX1234`)] },
  11: { ...USUAL, lines: (_utr, order) => [out("", AMOUNT_PAISE, `NEFT/${order}/RAVI`)] },
  17: { ...USUAL, lines: (utr) => [out(utr, 10_000n), out(utr, 50n)], ends: { matched: 2 } },
  23: {
    statuses: ["SUCCESS"],
    hasFee: true,
    lines: (utr) => [out(utr), out(utr, FEE.feePaise, "FEE"), out(utr, FEE.taxPaise, "GST")],
    ends: { matched: 3 },
  },
  29: { statuses: ["SUCCESS", "REVERSED"], lines: (utr) => [out(utr), came(utr)], ends: { matched: 2 } },
  31: { statuses: ["FAILED"], lines: (utr) => [out(utr), came(utr)], ends: { matched: 2 } },
  37: { statuses: ["FAILED"], lines: () => [], ends: {} },
  41: { statuses: ["FAILED"], lines: (utr) => [out(utr)], ends: { "different failed": 1 } },
  43: { statuses: ["SUCCESS"], lines: (utr) => [out(utr), out(utr)], ends: { matched: 1, "different again": 1 } },
  47: { statuses: ["SUCCESS"], lines: (utr) => [out(utr, 10_051n)], ends: { "different amount": 1 } },
  53: { statuses: ["SUCCESS"], lines: (utr) => [came(utr)], ends: { "different side": 1 } },
  59: { statuses: ["SUCCESS"], lines: () => [], ends: {} },
  61: { ...USUAL, lines: (utr) => [out(utr), out("", 1770n, "SMS ALERTS")], ends: { matched: 1, missing_here: 1 } },
};

const stage = await Stage.open();
const folder = mkdtempSync(join(tmpdir(), "nodal-large-"));

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stage.db.close();
});

type Day = { readonly bytes: Uint8Array; readonly lines: number; readonly ends: Record<string, number> };

/** Makes this many payments, each with its fate, and writes their statement, with running balances. */
async function makeDay(payments: number): Promise<Day> {
  const funds = AMOUNT_PAISE * BigInt(payments) * 2n;
  await stage.newMerchant(funds);
  const lines: Line[] = [{ reference: "", narration: "NEFT CR FUNDS", paise: funds }];
  const ends: Record<string, number> = { missing_here: 1 };
  for (let from = 0; from < payments; from += BATCH) {
    const transfers: NewTransfer[] = [];
    for (let i = 0; i < BATCH; i += 1) {
      const transferId = await stage.db.ids.next();
      const wanted = newTransfer(stage.merchant, transferId, AMOUNT_PAISE, `ORDER-${transferId}`);
      transfers.push({ ...wanted, rail: "provider" });
    }
    await accept(stage.db.server, transfers);
    const fated = transfers.map((transfer, i) => ({ transfer, fate: FATES[(from + i) % 100] ?? USUAL }));
    for (const round of [0, 1]) {
      const reports = fated
        .filter(({ fate }) => fate.statuses.length > round)
        .map(({ transfer, fate }) => ({
          ...reportOn(transfer, fate.statuses[round]!),
          utr: utrOf(transfer),
          ...(fate.hasFee ? { fee: FEE } : {}),
        }));
      await applyReports(stage.db.server, Temporal.Now.instant(), reports);
    }
    for (const { transfer, fate } of fated) {
      lines.push(...fate.lines(utrOf(transfer), transfer.referenceId!));
      for (const [end, count] of Object.entries(fate.ends)) ends[end] = (ends[end] ?? 0) + count;
    }
  }
  return { bytes: statementOf(lines), lines: lines.length, ends };
}

/** 12 digits, the format of IMPS. */
function utrOf({ transferId }: NewTransfer): string {
  return String(600_000_000_000n + transferId);
}

function statementOf(lines: readonly Line[]): Uint8Array {
  let balance = 0n;
  const rows = lines.map(({ reference, narration, paise }) => {
    balance += paise;
    const sides = paise < 0n ? `${formatPaise(-paise)},` : `,${formatPaise(paise)}`;
    return `20/11/26,${narration},${reference},20/11/26,${sides},${formatPaise(balance)}`;
  });
  const head = "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance";
  return new TextEncoder().encode([head, ...rows].join("\n"));
}

/** The number of the merchant's lines by result. */
async function endings(): Promise<Record<string, number>> {
  const { rows } = await stage.db.owner.query<{ ending: string; count: bigint }>(
    `select concat_ws(' ', state, difference) as ending, count(*) as count from statement_line
     where merchant_id = $1 group by 1`,
    [stage.merchant.merchantId],
  );
  return Object.fromEntries(rows.map(({ ending, count }) => [ending, Number(count)]));
}

/** The transfers with a clearing balance, and the status of their items. */
async function countUncleared(): Promise<Record<string, number>> {
  const { rows } = await stage.db.owner.query<{ count: bigint; open: bigint }>(
    `with clearing as (
       select subject_id, sum(case when credit_kind = 'payout_clearing' then amount_paise else -amount_paise end) as paise
       from journal where merchant_id = $1 and 'payout_clearing' in (credit_kind, debit_kind)
       group by subject_id
     )
     select
       (select count(*) from clearing where paise <> 0) as count,
       (select count(*) from clearing_item where merchant_id = $1 and kind = 'paid' and match_id is null) as open`,
    [stage.merchant.merchantId],
  );
  return { uncleared: Number(rows[0]!.count), open: Number(rows[0]!.open) };
}

let day: Day;

beforeAll(async () => {
  day = await makeDay(DAY_PAYMENTS);
}, SEEDING_MS);

const file = { account: "HDFC", fileName: "day.csv" };

test("each line ends as what it is", { timeout: RUN_MS }, async () => {
  expect(day.lines).toBeGreaterThan(DAY_PAYMENTS);
  const { newCount } = await importStatement(stage.context, { ...file, bytes: day.bytes });
  expect(newCount).toBe(day.lines);
  await reconcile(stage.context);
  expect(await endings()).toEqual(day.ends);
  // Still in clearing: wrong amount, wrong side, never shown. Everything else is at zero.
  const open = (DAY_PAYMENTS / 100) * 3;
  expect(await countUncleared()).toEqual({ uncleared: open, open });
});

test("the same file again counts nothing twice", { timeout: RUN_MS }, async () => {
  const { newCount } = await importStatement(stage.context, { ...file, bytes: day.bytes });
  expect(newCount).toBe(0);
  expect((await reconcile(stage.context)).matchedLines).toBe(0);
  expect(await endings()).toEqual(day.ends);
});

/** The findings of `verify`, after ANALYZE for so many new rows: tests' databases have no autovacuum. */
async function violations(): Promise<readonly unknown[]> {
  await stage.db.owner.query("analyze");
  return stage.violations();
}

test("the ledger agrees", { timeout: RUN_MS }, async () => {
  expect(await violations()).toEqual([]);
});

test("killed in the middle, and begun again", { timeout: RUN_MS }, async () => {
  const killed = await makeDay(KILLED_PAYMENTS);
  const path = join(folder, "day.csv");
  writeFileSync(path, killed.bytes);
  const words = ["reconcile", "import", "--merchant", String(stage.merchant.merchantId), "--account", "HDFC"];
  const start = () =>
    spawn(process.execPath, ["bin/nodal.js", ...words, "--file", path], {
      cwd: REPOSITORY,
      env: { ...process.env, DATABASE_URL: stage.db.url, NODAL_MASTER_KEY: TEST_MASTER_KEY },
      stdio: "ignore",
    });
  let kills = 0;
  for (const atLeast of [1, 1500]) {
    const child = start();
    while ((await stage.countPostings("bank_matched")) < atLeast && child.exitCode === null) await sleep(2);
    if (child.exitCode === null && child.kill("SIGKILL")) kills += 1;
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  expect(kills).toBeGreaterThan(0);
  const [code] = (await once(start(), "exit")) as [number];
  expect(code).toBe(0);
  expect(await endings()).toEqual(killed.ends);
  const open = (KILLED_PAYMENTS / 100) * 3;
  expect(await countUncleared()).toEqual({ uncleared: open, open });
  expect(await violations()).toEqual([]);
});
