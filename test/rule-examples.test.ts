// The worked examples of docs/rules are what the code does: each is worked out again, and has to stand in its page so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commissionOn } from "../src/franchises/commission.ts";
import { financialYearOf, writeNumber } from "../src/invoices/numbers/number-series.ts";
import type { Supply } from "../src/invoices/gst-row.ts";
import { addUp } from "../src/invoices/totals.ts";
import { decideOutcome, makeUtr } from "../src/payouts/rails/simulator-outcome.ts";
import { chooseRailMode } from "../src/payouts/transfer.ts";
import { staleBefore } from "../src/payouts/rails/bank-days.ts";
import { formatRupees } from "../src/platform/indian-format.ts";
import { readState } from "../src/platform/indian-states.ts";
import { formatPaise, parsePaise } from "../src/platform/money.ts";
import { dateOfOccurrence } from "../src/subscriptions/subscription.ts";
import { REPOSITORY } from "./support/files.ts";

const PAYEE = { name: "Asha Rao", accountNumber: null, ifsc: null, upi: null };

/** A page with its line breaks taken out, so that an example is found wherever it is broken. */
function page(name: string): string {
  return readFileSync(join(REPOSITORY, `docs/rules/${name}.md`), "utf8").replaceAll(/\n(?=[^\n|#])/g, " ");
}

test("amounts that are taken, and that are refused", () => {
  const text = page("values-and-errors");
  expect(text).toContain('`590`, `"590"`, `590.5` and `"590.50"` are taken, and answered `"590.00"` and `"590.50"`');
  expect([590, "590", 590.5, "590.50"].map((each) => formatPaise(parsePaise(each)!))).toEqual([
    "590.00",
    "590.00",
    "590.50",
    "590.50",
  ]);
  expect(text).toContain('`"1,000"`, `1e3`, `-5` and `0.005` are refused');
  expect(["1,000", "1e3", "-5", "0.005"].map(parsePaise)).toEqual([null, null, null, null]);
});

test("GST of a row", () => {
  const row = { item: "", sacCode: "", description: "", gstThousandths: 5000n, amountPaise: 10_050n };
  const taxes = (supply: Supply): string =>
    addUp([row], [], 0n, supply)
      .taxes.map(({ name, amountPaise }) => `${name} ${formatRupees(amountPaise)}`)
      .join(" and ");
  expect(page("invoicing")).toContain(
    `Within a state: ${taxes("intra_state")}, together ₹5.02. Between states: ${taxes("inter_state")}.`,
  );
});

test("commission of a percentage, and a fixed one", () => {
  const invoice = { taxablePaise: 100_000n, totalPaise: 118_000n, previousDuesPaise: 0n, givenBackPaise: 0n };
  const tenth = { commissionType: "Percentage", commissionHundredths: 1000n } as const;
  const half = commissionOn(tenth, { ...invoice, paidPaise: 59_000n, creditedPaise: 0n });
  const fixed = { commissionType: "Fixed", commissionHundredths: 5000n } as const;
  const rest = commissionOn(fixed, { ...invoice, paidPaise: 106_200n, creditedPaise: 11_800n });
  const text = page("franchises");
  expect(text).toContain(`590 ÷ 1,180 of 1,000 is ₹500.00, so ${formatRupees(half)}.`);
  expect(text).toContain(`50 × 1,062 ÷ 1,180, so ${formatRupees(rest)}.`);
});

test("the rail by the amount", () => {
  const limits = { impsPaise: 50_000_000n, upiPaise: 10_000_000n, neftAboveImps: false };
  const rail = (paise: bigint, impsPaise = limits.impsPaise): string =>
    `${formatRupees(paise)} goes by ${chooseRailMode("banktransfer", paise, { ...limits, impsPaise })}`;
  const text = page("payouts");
  expect(text).toContain(`${rail(50_000_000n)}, ₹5,00,000.01 by RTGS.`);
  expect(rail(50_000_001n)).toBe("₹5,00,000.01 goes by RTGS");
  expect(text).toContain(`With \`IMPS_LIMIT=100000.00\`, ${rail(15_000_000n, 10_000_000n)}.`);
});

test("when a transfer has been open for too long", () => {
  expect(page("payouts")).toContain("accepted on Wednesday, 18 November 2026");
  const india = (text: string): Temporal.Instant =>
    Temporal.PlainDateTime.from(text).toZonedDateTime("Asia/Kolkata").toInstant();
  const accepted = india("2026-11-18T23:59");
  const isShown = (at: string): boolean => Temporal.Instant.compare(accepted, staleBefore(india(at))) < 0;
  expect([isShown("2026-11-21T23:59"), isShown("2026-11-22T00:00")]).toEqual([false, true]);
});

test("an RTGS reference, an invoice number, dates of occurrences, and a state", () => {
  const instruction = {
    bucket: 0,
    merchantId: 1n,
    transferId: 42n,
    amountPaise: 1n,
    mode: "RTGS",
    payee: { ...PAYEE, ifsc: "HDFC0000001" },
    narrative: "",
  } as const;
  expect(page("rails")).toContain(`\`${makeUtr(instruction, Temporal.Instant.from("2026-11-22T06:00:00Z"))}\``);
  const series = { seriesId: 1n, prefix: "INV-{FY}-", width: 5, yearly: true };
  const numbers = ["2026-04-01", "2027-04-01"].map((day) =>
    writeNumber(series, financialYearOf(Temporal.PlainDate.from(day)), 1n),
  );
  for (const number of numbers) expect(page("invoicing")).toContain(`\`${number}\``);
  const startDate = Temporal.PlainDate.from("2026-01-31");
  const plan = { mode: "Monthly", repeatEvery: 1, startDate, dueDays: 0, endMode: "Never", occurrences: null } as const;
  const dates = [0, 1, 2].map((number) => dateOfOccurrence({ ...plan, endDate: null }, number));
  const spoken = dates.map((date) => date.toLocaleString("en-GB", { day: "numeric", month: "long" }));
  expect(page("subscriptions")).toContain(`monthly from 31 January 2026: ${spoken.join(", ")}.`);
  const states = ["KA", "29", "29-Karnataka", "Karnatka", "कर्नाटक"];
  for (const state of states)
    expect([page("invoicing").includes(`\`${state}\``), readState(state)?.code]).toEqual([true, "29"]);
  expect(readState("Manipal")).toBeNull();
});

describe("the simulated bank", () => {
  const rows = page("rails")
    .split("## Simulated bank")[1]!
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => /^\| [0-9a-z]/.test(line))
    .map((line) => line.slice(2, -2).split(" | ") as [string, string]);
  const cases = rows.flatMap(([payees, outcome]) => payees.split(", ").map((payee) => [payee, outcome] as const));

  test("has all accounts", () => expect(cases).toHaveLength(17));

  test.each(cases)("does with %s as the page says", (payee, outcome) => {
    const [accountNumber, ifsc] = payee.split(" ") as [string, string | undefined];
    const to = ifsc ? { ...PAYEE, accountNumber, ifsc } : { ...PAYEE, upi: accountNumber };
    const mode = ifsc ? ("IMPS" as const) : ("UPI" as const);
    const instruction = { bucket: 0, merchantId: 1n, transferId: 1n, amountPaise: 1n, mode, payee: to, narrative: "" };
    const { status, next, holdsAnswer } = decideOutcome(instruction, false);
    const statuses = [...(holdsAnswer ? [] : [status]), ...(next ? [next.status] : [])];
    expect([...outcome.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(statuses);
    if (holdsAnswer) expect(outcome).toContain(`no answer for ${next!.delayMs / 1000} s`);
  });
});
