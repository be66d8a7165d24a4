// One question: which lines an answer of RazorpayX's `GET /v1/transactions` has, saved as a file.
import { parse } from "secure-json-parse";
import { Problems, refuseTooMany, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { dayOfSeconds } from "./values.ts";

const INDIA = "Asia/Kolkata";

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a collection of transactions, the newest first as RazorpayX gives them. Its papers leave open whether `debit` has the
 * fees of a payout in it: where it is more than the payout's amount by just fees and tax, that is a line of its own.
 * @throws NodalError `validation_failed`
 */
export function readRazorpayx(text: string): ReadStatement {
  const items = itemsOf(text);
  refuseTooMany(items.length);
  const problems = new Problems();
  const lines = items.flatMap((item, index) => linesOf(item, index + 1, problems));
  problems.refuse();
  return {
    format: "razorpayx",
    lines: lines.toReversed(),
    openingPaise: null,
    closingPaise: null,
    mapping: null,
    dateOrder: null,
  };
}

function itemsOf(text: string): Members[] {
  try {
    const read: unknown = parse(text);
    const items = Array.isArray(read) ? read : (read as { items?: unknown } | null)?.items;
    if (Array.isArray(items) && items.every((item) => typeof item === "object" && item !== null))
      return items as Members[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable(
    "The file is no list of RazorpayX's transactions.",
    "Save the answer of GET /v1/transactions as it is.",
  );
}

function linesOf(item: Members, place: number, problems: Problems): ReadLine[] {
  const source = (item["source"] ?? {}) as Members;
  const [credit, debit] = [paise(item["credit"]), paise(item["debit"])];
  const bookedOn = dayOfSeconds(item["created_at"], INDIA);
  if (credit === null || debit === null || credit > 0n === debit > 0n) {
    problems.add(place, "credit, debit", "one of the two has to be an amount in paise, and the other 0.");
    return [];
  }
  if (item["currency"] !== undefined && item["currency"] !== "INR") {
    problems.add(place, "currency", "it is not INR.");
    return [];
  }
  if (bookedOn === null) {
    problems.add(place, "created_at", "it is no time in seconds.");
    return [];
  }
  const known = [source["utr"], source["reference_id"], source["bank_reference"], source["id"], item["id"]].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
  const line = { fileLine: place, bookedOn, reference: known[0] ?? null, narration: known.slice(1).join(" ") };
  const balancePaise = signedPaise(item["balance"]);
  if (credit > 0n) return [{ ...line, side: "in", amountPaise: credit, balancePaise }];
  const charged = (paise(source["fees"]) ?? 0n) + (paise(source["tax"]) ?? 0n);
  const amount = paise(source["amount"]);
  if (charged === 0n || amount === null || debit !== amount + charged) {
    return [{ ...line, side: "out", amountPaise: debit, balancePaise }];
  }
  const charge = { ...line, side: "out" as const, narration: `Fee ${line.narration}` };
  return [
    // The newest first: the payment, then what it cost.
    { ...charge, amountPaise: charged, balancePaise },
    { ...line, side: "out", amountPaise: amount, balancePaise: balancePaise === null ? null : balancePaise + charged },
  ];
}

function paise(value: unknown): bigint | null {
  const read = signedPaise(value);
  return read !== null && read >= 0n ? read : null;
}

function signedPaise(value: unknown): bigint | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : null;
}
