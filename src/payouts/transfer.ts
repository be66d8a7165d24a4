// Transfers and withdrawals: types, states, and the rules that need no database. Each limit of a rail and each window of a
// provider has the day from which it applies.
import type { MerchantKey } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { BANKS_TIME_ZONE, isWorkingDay } from "./rails/bank-days.ts";
import type { Payee, PaymentStatus, RailMode } from "./rails/rail.ts";

/** `commission` pays a franchise what it earned; Nodal requests it itself. */
export type TransferKind = "transfer" | "withdrawal" | "commission";
export type TransferMode = "banktransfer" | "upi";

/**
 * docs/rules/payouts.md#life-of-a-transfer. A second person may have to approve it first; its amount is reserved meanwhile.
 */
export type TransferState =
  | "AWAITING_APPROVAL"
  | "RESERVED"
  | "SUBMITTING"
  | "UNKNOWN"
  | "PENDING"
  | "SUCCESS"
  | "FAILED"
  | "REJECTED"
  | "REVERSED";

/** A bank's status of a transfer, or `UNKNOWN` if the call broke off. */
export type ReportedStatus = PaymentStatus | "UNKNOWN";

/** The effect of a report on a transfer: its new state, and the posting of its amount, if any. */
type Transition = {
  readonly state: TransferState;
  readonly posting: "success" | "failed" | "reversed" | "late_success" | null;
};

/**
 * The effect of a report on a transfer in this state; `null` if it changes nothing. A success after a failure is a late success; a
 * paid transfer stays paid unless it is reversed: docs/rules/payouts.md#life-of-a-transfer. `isResolved`: a user resolved it by hand
 * (docs/rules/payouts.md#stuck-transfers).
 */
export function transitionOf(state: TransferState, status: ReportedStatus, isResolved = false): Transition | null {
  switch (state) {
    case "RESERVED":
    case "SUBMITTING":
    case "UNKNOWN":
    case "PENDING":
      if (status === "UNKNOWN") {
        const isSent = state === "UNKNOWN" || state === "PENDING";
        return isSent ? null : { state: "UNKNOWN", posting: null };
      }
      if (status === "PENDING") return { state: "PENDING", posting: null };
      return { state: status, posting: status === "SUCCESS" ? "success" : "failed" };
    case "SUCCESS":
      // A user resolved it as paid, and now the bank reports a failure.
      if (status === "REVERSED" || (isResolved && (status === "FAILED" || status === "REJECTED")))
        return { state: "REVERSED", posting: "reversed" };
      return status === "SUCCESS" ? { state: "SUCCESS", posting: null } : null;
    case "FAILED":
    case "REJECTED":
      return status === "SUCCESS" ? { state: "SUCCESS", posting: "late_success" } : null;
    case "AWAITING_APPROVAL":
    case "REVERSED":
      return null;
  }
}

/** The status in the API: docs/rules/payouts.md#statuses. */
export type WireStatus = "PENDING" | "SUCCESS" | "FAILED" | "REVERSED" | "REJECTED";

export type TransferIdentity = MerchantKey & { readonly transferId: bigint };

export type Transfer = TransferIdentity & {
  readonly kind: TransferKind;
  readonly referenceId: string | null;
  readonly beneficiaryId: bigint | null;
  readonly payee: Payee;
  readonly mode: TransferMode;
  readonly rail: string;
  readonly railMode: RailMode;
  readonly amountPaise: bigint;
  readonly narrative: string;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly addedAt: Temporal.Instant;
  readonly processedAt: Temporal.Instant | null;
};

/** Whether the bank has yet to report a final status. */
export function isOpen(state: TransferState): boolean {
  return wireStatus(state) === "PENDING";
}

export function wireStatus(state: TransferState): WireStatus {
  switch (state) {
    case "AWAITING_APPROVAL":
    case "RESERVED":
    case "SUBMITTING":
    case "UNKNOWN":
    case "PENDING":
      return "PENDING";
    case "SUCCESS":
    case "FAILED":
    case "REJECTED":
    case "REVERSED":
      return state;
  }
}

type Window = {
  readonly provider: string;
  readonly mode: RailMode;
  /** The day from which it applies, until a later one of the same provider and mode does. */
  readonly since: string;
  /** Opening hours on working days; `null` for always open. */
  readonly hours: readonly [opens: string, closes: string] | null;
};

/** Providers that process payments at fewer hours than the rail itself: docs/rules/rails.md#windows-of-providers */
const WINDOWS: readonly Window[] = [
  { provider: "razorpayx", mode: "NEFT", since: "2019-12-16", hours: ["02:00", "18:00"] },
];

/**
 * When a provider processes a payment that it receives now: `null` for at once, else the time at which its window opens.
 * @param rail `<provider>:<account_id>`
 */
export function takenOnAt(rail: string, mode: RailMode, now: Temporal.Instant): Temporal.ZonedDateTime | null {
  const at = now.toZonedDateTimeISO(BANKS_TIME_ZONE);
  const [provider] = rail.split(":");
  const hoursOn = (day: Temporal.PlainDate): Window["hours"] =>
    latest(
      WINDOWS.filter((each) => each.provider === provider && each.mode === mode),
      day,
    )?.hours ?? null;
  for (let day = at.toPlainDate(); ; day = day.add({ days: 1 })) {
    const hours = hoursOn(day);
    if (hours === null) return day.equals(at.toPlainDate()) ? null : day.toZonedDateTime(BANKS_TIME_ZONE);
    const [opens, closes] = hours.map((time) => day.toZonedDateTime({ timeZone: BANKS_TIME_ZONE, plainTime: time }));
    if (!isWorkingDay(day) || Temporal.ZonedDateTime.compare(at, closes!) >= 0) continue;
    return Temporal.ZonedDateTime.compare(at, opens!) >= 0 ? null : opens!;
  }
}

function latest<T extends { readonly since: string }>(rows: readonly T[], day: Temporal.PlainDate): T | null {
  const begun = rows.filter(({ since }) => since <= day.toString());
  return begun.toSorted((a, b) => (a.since < b.since ? -1 : 1)).at(-1) ?? null;
}

/** The reason for a transfer's status, if there is one. */
export function reasonOf(
  transfer: Pick<Transfer, "state" | "reason"> & Partial<Pick<Transfer, "rail" | "railMode">>,
  now: Temporal.Instant = Temporal.Now.instant(),
): string | null {
  const { state, reason, rail, railMode } = transfer;
  if (state === "AWAITING_APPROVAL") return "Waiting for approval.";
  if (reason !== null || !isOpen(state) || rail === undefined || railMode === undefined) return reason;
  const takenOn = takenOnAt(rail, railMode, now);
  if (takenOn === null) return null;
  const at = takenOn.toPlainDateTime().toString({ smallestUnit: "minute" }).replace("T", " ");
  return `The provider accepts ${railMode} again on ${at} (India).`;
}

type Limit = {
  readonly mode: RailMode;
  readonly since: string;
  /** In paise; `null` for no upper limit. */
  readonly leastPaise: bigint;
  readonly mostPaise: bigint | null;
};

/** Lower limits of banks are configuration. */
const LIMITS: readonly Limit[] = [
  { mode: "IMPS", since: "2021-10-08", leastPaise: 100n, mostPaise: 50_000_000n },
  { mode: "NEFT", since: "2019-12-16", leastPaise: 100n, mostPaise: null },
  { mode: "RTGS", since: "2020-12-14", leastPaise: 20_000_000n, mostPaise: null },
  { mode: "UPI", since: "2016-08-25", leastPaise: 100n, mostPaise: 10_000_000n },
];

/** How long today's limits are cached, since every transfer needs them. */
const KEPT_MS = 60_000;
const kept = new Map<RailMode, { readonly limit: Limit; readonly untilMs: number }>();

function limitsToday(mode: RailMode): Limit {
  const known = kept.get(mode);
  if (known && performance.now() < known.untilMs) return known.limit;
  const limit = limitsOn(mode, Temporal.Now.plainDateISO(BANKS_TIME_ZONE));
  kept.set(mode, { limit, untilMs: performance.now() + KEPT_MS });
  return limit;
}

/** The limits of a rail on a day. */
export function limitsOn(mode: RailMode, day: Temporal.PlainDate): Limit {
  const limit = latest(
    LIMITS.filter((each) => each.mode === mode),
    day,
  );
  if (!limit) throw new Error(`nothing is known of ${mode} on ${day.toString()}`);
  return limit;
}

export type RailLimits = {
  readonly impsPaise: bigint;
  readonly upiPaise: bigint;
  /** Whether NEFT is used above the IMPS limit. */
  readonly neftAboveImps: boolean;
};

/** The limits of a configuration. */
export function railLimitsOf(config: Config): RailLimits {
  return {
    impsPaise: config.IMPS_LIMIT,
    upiPaise: config.UPI_LIMIT,
    neftAboveImps: config.NEFT_ABOVE_IMPS === "on",
  };
}

/**
 * The rail for a mode and an amount (docs/rules/payouts.md#rail-by-amount), under the limits of
 * docs/rules/rails.md#imps and docs/rules/rails.md#upi.
 * @throws NodalError `limit_exceeded` above the UPI limit
 */
export function chooseRailMode(mode: TransferMode, amountPaise: bigint, limits: RailLimits): RailMode {
  if (mode === "upi") {
    const mostPaise = atMost(limits.upiPaise, "UPI");
    if (amountPaise > mostPaise) {
      throw new NodalError(
        "limit_exceeded",
        `The UPI limit is ${formatRupees(mostPaise)}: send less, or use the mode banktransfer.`,
      );
    }
    return "UPI";
  }
  if (amountPaise <= atMost(limits.impsPaise, "IMPS")) return "IMPS";
  // docs/rules/rails.md#rtgs
  const { leastPaise } = limitsToday("RTGS");
  return limits.neftAboveImps || amountPaise < leastPaise ? "NEFT" : "RTGS";
}

/** A configured limit, capped at the rail's own. */
function atMost(configuredPaise: bigint, mode: RailMode): bigint {
  const { mostPaise } = limitsToday(mode);
  return mostPaise !== null && mostPaise < configuredPaise ? mostPaise : configuredPaise;
}

/**
 * The mode of a transfer to this payee: the requested one, else bank transfer, or UPI if there is only a handle.
 * docs/rules/payouts.md#mode
 * @throws NodalError `validation_failed` if the payee can't be paid in the requested mode
 */
export function chooseMode(asked: TransferMode | null, payee: Payee): TransferMode {
  const mode = asked ?? (payee.accountNumber === null ? "upi" : "banktransfer");
  if (mode === "upi" && payee.upi === null) {
    throw validationError([
      { field: "mode", code: "not_allowed", problem: "This beneficiary has no UPI handle: use the mode banktransfer." },
    ]);
  }
  if (mode === "banktransfer" && payee.accountNumber === null) {
    throw validationError([
      { field: "mode", code: "not_allowed", problem: "This beneficiary has no bank account: use the mode upi." },
    ]);
  }
  return mode;
}
