// A merchant's statement as PDF: its texts and amounts, for templates/statement.typ.
import type { Merchant } from "../merchants/index.ts";
import type { collectStatementLines, StatementLine, StatementPeriod } from "../payouts/index.ts";
import { formatIndianAmount, formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";

const TEMPLATE = "statement.typ";
/** The headings of the two columns of amounts. */
export const STATEMENT_HEADS = ["Debit (₹)", "Credit (₹)"];

type Lines = Awaited<ReturnType<typeof collectStatementLines>>;

/**
 * Renders a merchant's statement of a period, which ends `today` by default, in that merchant's turn. Rejects as
 * `PdfRenderer.render` does.
 */
export function renderStatementPdf(
  renderer: PdfRenderer,
  merchant: Merchant,
  statement: Lines & { readonly period: StatementPeriod; readonly today: Temporal.PlainDate },
): Promise<Uint8Array> {
  return renderer.render(merchant, TEMPLATE, statementView(merchant, statement));
}

function statementView(
  merchant: Merchant,
  {
    lines,
    opening,
    closing,
    period,
    today,
  }: Lines & { readonly period: StatementPeriod; readonly today: Temporal.PlainDate },
) {
  const dayOf = ({ postedAt }: StatementLine) => postedAt.toZonedDateTimeISO(merchant.timeZone).toPlainDate();
  const from = period.from ?? (lines[0] ? dayOf(lines[0]) : today);
  const to = period.to ?? today;
  const words = `${formatIndianDate(from)} to ${formatIndianDate(to)}`;
  const sum = (of: (line: StatementLine) => bigint) => lines.reduce((total, line) => total + of(line), 0n);
  const debits = sum(({ debitPaise }) => debitPaise);
  const credits = sum(({ creditPaise }) => creditPaise);
  const amount = (paise: bigint) => (paise === 0n ? "" : formatIndianAmount(paise));
  return {
    heading: "Statement",
    title: `Statement, ${words}`,
    footer: `Statement, ${words} · ${merchant.name}`,
    merchant: letterheadOf(merchant),
    party: null,
    period: words,
    heads: STATEMENT_HEADS,
    totals: [
      { label: "Opening balance", value: formatRupees(opening.availablePaise) },
      { label: "Debits", value: formatRupees(debits) },
      { label: "Credits", value: formatRupees(credits) },
      { label: "Closing balance", value: formatRupees(closing.availablePaise) },
    ],
    opening: formatIndianAmount(opening.availablePaise),
    closing: formatIndianAmount(closing.availablePaise),
    debits: formatIndianAmount(debits),
    credits: formatIndianAmount(credits),
    lines: lines.map((line) => [
      formatIndianDate(dayOf(line)),
      line.description,
      [line.reference && `Ref. ${line.reference}`, line.transfer?.utr && `UTR ${line.transfer.utr}`]
        .filter(Boolean)
        .join(" · "),
      amount(line.debitPaise),
      amount(line.creditPaise),
      formatIndianAmount(line.balancePaise),
    ]),
    notes: [
      "Balances are what was available for payouts. A payout is debited when its amount is set aside, on the day it was asked for.",
      ...(closing.heldPaise === 0n
        ? []
        : [`At the end of this period ${formatRupees(closing.heldPaise)} were set aside for payouts in progress.`]),
      ...(merchant.live ? [] : ["Sandbox: no real money."]),
      `Days are those of ${merchant.timeZone}.`,
    ],
  };
}

/** A party's name, and its known addresses and registration numbers. */
export function letterheadOf({
  name,
  address,
  city,
  state,
  zipcode,
  gstin,
}: Pick<Merchant, "name" | "address" | "city" | "state" | "zipcode" | "gstin">): {
  readonly name: string;
  readonly lines: readonly string[];
} {
  const place = [city, state, zipcode].filter((part) => part !== "").join(", ");
  const lines = [...address.split("\n"), place, gstin === "" ? "" : `GSTIN ${gstin}`];
  return { name, lines: lines.map((line) => line.trim()).filter((line) => line !== "") };
}
