// Names of events in the audit log, histories and webhooks, by their types.
import { audit } from "../strings/audit.ts";
import { eventNames } from "../strings/history.ts";
import { transferDetail } from "../strings/payouts.ts";
import { webhooks } from "../strings/webhooks.ts";

/** The kind and what was done: `franchise.changed` is `Franchise: changed`, `transfer.*` `All transfer events`. */
export function eventInWords(type: string): string {
  const [kind, what] = partsOf(type);
  if (what === "*") return webhooks.whole(kindInWords(kind));
  const words = kind === "posting" ? transferDetail.kinds[what] : audit.deeds[what];
  return `${kindInWords(kind)}: ${words ?? what.replaceAll("_", " ")}`;
}

/** `credit_note` is `Credit note`. */
export function kindInWords(kind: string): string {
  return audit.kinds[kind] ?? kind.replaceAll("_", " ");
}

/** The action alone, where the kind is already named: `invoice.partially_paid` is `Partially paid`. */
export function deedInWords(type: string): string {
  const [, what] = partsOf(type);
  const words = audit.deeds[what] ?? what.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** An event in the history of an invoice or a subscription. */
export function historyInWords(type: string): string {
  return eventNames[type] ?? eventInWords(type);
}

/** An event in the history of a payout. */
export function payoutEventInWords(type: string): string {
  const [kind, what] = partsOf(type);
  const words = kind === "posting" ? transferDetail.kinds[what] : transferDetail.eventWords[what];
  return words ?? eventInWords(type);
}

function partsOf(type: string): [kind: string, what: string] {
  const [kind = "", what = ""] = type.split(".");
  return [kind, what];
}
