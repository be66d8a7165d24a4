// Every kind of write that a load makes: what it asks for, and how its acknowledgement is told from another's. What
// each sends is in *-writes.ts; when and how often it is sent, in load.ts.
import type { Members } from "../support/installation.ts";
import { BILLING_WRITES } from "./billing-writes.ts";
import type { Ask, Entry, Kind } from "./journal.ts";
import { PARTY_WRITES } from "./party-writes.ts";
import { PAYOUT_WRITES } from "./payout-writes.ts";
import type { CrashSite } from "./site.ts";

/** What a write may look at of what was acknowledged before. */
export type Stage = {
  readonly random: () => number;
  /** The date of the first day of the load. */
  readonly firstDay: Temporal.PlainDate;
  /** The day that the merchant's clock was last moved to. */
  readonly today: Temporal.PlainDate;
  /** Something of the merchant that was acknowledged and that nothing has ended; `null` where there is none. */
  pick(kind: Kind): Entry | null;
};

type Common = {
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** By what it may be sent again. */
  readonly repeatedBy: "reference" | "key" | "either";
  /** The kinds whose work it changes: one change of an entry's work is under way at a time. */
  readonly changes?: readonly Kind[];
  /** Whether nothing is to be changed there after it. */
  readonly ends?: true;
  /** One at a time for each merchant. */
  readonly alone?: true;
  /** The machine codes that a request in order may be refused with. */
  readonly mayMeet: readonly string[];
};

/** A request of the API. */
export type WireWrite = Common & {
  readonly path: string;
  /** A token in the header, or keys in the body. */
  readonly signedBy: "token" | "keys";
  readonly body: (ask: Ask, stage: Stage) => Members;
  /** What an acknowledgement identifies the work by. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a body has the shape of its route
  readonly identify: (body: any) => string;
};

/** What a command does: its use case, in this process. */
export type CommandWrite = Common & {
  /** Does it, or finds out that it was done, and answers what identifies it. */
  readonly perform: (ask: Ask, site: CrashSite, stage: Stage) => Promise<string>;
};

export type Write = WireWrite | CommandWrite;

export const WRITES: Readonly<Record<Kind, Write>> = { ...PAYOUT_WRITES, ...PARTY_WRITES, ...BILLING_WRITES };

export const ALL_KINDS = Object.keys(WRITES) as readonly Kind[];
/** Those that move money to and from the bank. */
export const PAYOUT_KINDS: readonly Kind[] = ["transfer", "withdrawal", "beneficiary", "funding"];

/** A whole number from `least` up to `most`. */
export function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
