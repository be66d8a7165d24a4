// Reads a saved response of RazorpayX's `GET /v1/transactions`.
import { parse } from "secure-json-parse";
import { formatRupees } from "../../platform/indian-format.ts";
import { describeMember } from "../../platform/json.ts";
import { findRepeatedMember } from "../../platform/json-scan.ts";
import { OneAccount } from "./statement-parts.ts";
import { Problems, refuseTooMany, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { dayOfSeconds } from "./values.ts";

const FEES_PURPOSE = "rzp_fees";

const ALL_OF_THEM = "Ask for the others with `skip`, and put the items of all answers into one list.";

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a collection of transactions, the newest first as RazorpayX returns them. An account that is charged at once is debited
 * with a payout plus its `fees`, which include the tax, and credited with both when the payout is reversed. The fees become a
 * separate line: docs/rules/rails.md#razorpayx
 * @throws NodalError `validation_failed`
 */
export function readRazorpayx(text: string): ReadStatement {
  const items = itemsOf(text);
  refuseTooMany(items.length);
  const problems = new Problems();
  const account = new OneAccount();
  for (const { account_number: number } of items) if (typeof number === "string") account.see(number);
  const lines = items.flatMap((item, index) => linesOf(item, index + 1, problems));
  problems.refuse();
  return {
    format: "razorpayx",
    layout: "razorpayx",
    lines: lines.toReversed(),
    notBookedCount: 0,
    openingPaise: null,
    closingPaise: null,
    mapping: null,
    dateOrder: null,
  };
}

function itemsOf(text: string): Members[] {
  try {
    const read: unknown = parse(text);
    const repeated = findRepeatedMember(Buffer.from(text));
    if (repeated !== null) {
      throw unreadable(
        `The file has ${describeMember(repeated)} more than once in one object.`,
        "Save the response of GET /v1/transactions unchanged.",
      );
    }
    const whole: { items?: unknown; count?: unknown; has_more?: unknown } = Array.isArray(read)
      ? { items: read }
      : ((read as object | null) ?? {});
    const { items, count = null, has_more: hasMore } = whole;
    if (Array.isArray(items) && items.every((item) => typeof item === "object" && item !== null)) {
      if (hasMore === true) throw unreadable("The file has a part of the transactions only (has_more).", ALL_OF_THEM);
      if (typeof count === "number" && count > items.length)
        throw unreadable(`The file has ${items.length} of ${count} transactions (count).`, ALL_OF_THEM);
      return items as Members[];
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable(
    "The file is not a list of RazorpayX transactions.",
    "Save the response of GET /v1/transactions unchanged.",
  );
}

function linesOf(item: Members, place: number, problems: Problems): ReadLine[] {
  const source = (item["source"] ?? {}) as Members;
  const [credit, debit] = [paise(item["credit"]), paise(item["debit"])];
  const bookedOn = dayOfSeconds(item["created_at"]);
  if (credit === 0n && debit === 0n) return [];
  if (credit === null || debit === null || credit > 0n === debit > 0n) {
    problems.add(place, "credit, debit", "one of the two must be an amount in paise, and the other 0.");
    return [];
  }
  if (item["amount"] !== undefined && paise(item["amount"]) !== credit + debit) {
    problems.add(place, "amount", "it differs from the debit or credit.");
    return [];
  }
  for (const [name, { currency = "INR" }] of Object.entries({ currency: item, "source.currency": source })) {
    if (currency === "INR") continue;
    problems.add(place, name, "it is not INR.");
    return [];
  }
  if (bookedOn === null) {
    problems.add(place, "created_at", "it is not a time in seconds.");
    return [];
  }
  const known = [source["utr"], source["reference_id"], source["bank_reference"], source["id"], item["id"]].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
  const line = { fileLine: place, bookedOn, reference: known[0] ?? null, narration: known.slice(1).join(" ") };
  const balancePaise = signedPaise(item["balance"]);
  const side = credit > 0n ? "in" : "out";
  const whole = credit > 0n ? credit : debit;
  const taxPaise = absolute(source["tax"]);
  const charged = absolute(source["fees"] ?? source["fee"]);
  if (taxPaise > charged) {
    problems.add(place, "source.tax", "the tax is more than the fees, which include it.");
    return [];
  }
  const ofTax = taxPaise === 0n ? "" : `, of which tax ${formatRupees(taxPaise)}`;
  const charge = { ...line, side, narration: `Fee${ofTax} ${line.narration}` } as const;
  // A separate payout collects the fees of a current account.
  if (source["purpose"] === FEES_PURPOSE) return [{ ...charge, amountPaise: whole, balancePaise }];
  const amount = paise(source["amount"]);
  if (charged === 0n || amount === null || whole !== amount + charged)
    return [{ ...line, side, amountPaise: whole, balancePaise }];
  const before = side === "in" ? -charged : charged;
  return [
    // Newest first: the payment, then its fee.
    { ...charge, amountPaise: charged, balancePaise },
    { ...line, side, amountPaise: amount, balancePaise: balancePaise === null ? null : balancePaise + before },
  ];
}

/** Refunded fees have a minus sign. */
function absolute(value: unknown): bigint {
  const read = signedPaise(value) ?? 0n;
  return read < 0n ? -read : read;
}

function paise(value: unknown): bigint | null {
  const read = signedPaise(value);
  return read !== null && read >= 0n ? read : null;
}

function signedPaise(value: unknown): bigint | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : null;
}
