// The outcome of payments at the simulated bank: the sandbox accounts, and the rule for every other payee.
// docs/rules/rails.md#simulated-bank
import type { AccountCheck, PaymentInstruction, Payee } from "./rail.ts";

/** A later change of the payment by the bank. */
export type LaterStep = {
  readonly status: "SUCCESS" | "FAILED" | "REVERSED";
  readonly reason: string | null;
  readonly delayMs: number;
};

export type Outcome = {
  readonly status: "PENDING" | "SUCCESS" | "FAILED";
  readonly reason: string | null;
  /** Whether the beneficiary's bank confirms the credit at once; never for money that it will send back. */
  readonly acknowledged: boolean;
  readonly next: LaterStep | null;
  /** Whether the bank leaves the caller without an answer until the later step is due. */
  readonly holdsAnswer: boolean;
};

/** The delay of a later step: late enough to be visible as a change, and well within 2 s with the rail's polling. */
const LATER_STEP_DELAY_MS = 700;
const HELD_ANSWER_DELAY_MS = 25_000;

const INVALID_IFSC = "INVALID_IFSC_FAIL: The IFSC does not belong to any branch.";
const INVALID_ACCOUNT = "INVALID_ACCOUNT_FAIL: The account does not exist at this branch.";
const DECLINED = "BENE_BANK_DECLINED: The beneficiary's bank declined the payment.";
const INVALID_HANDLE = "INVALID_ACCOUNT_FAIL: The UPI handle does not exist.";
const RETURNED = "RETURNED_FROM_BENEFICIARY: The beneficiary's bank sent the money back.";

const PENDING: Outcome = { status: "PENDING", reason: null, acknowledged: false, next: null, holdsAnswer: false };
const SUCCESS: Outcome = { ...PENDING, status: "SUCCESS", acknowledged: true };

function failed(reason: string): Outcome {
  return { ...PENDING, status: "FAILED", reason };
}

function pendingThen(status: "SUCCESS" | "FAILED", reason: string | null): Outcome {
  return { ...PENDING, next: { status, reason, delayMs: LATER_STEP_DELAY_MS } };
}

const SUCCESS_THEN_REVERSED: Outcome = {
  ...SUCCESS,
  acknowledged: false,
  next: { status: "REVERSED", reason: RETURNED, delayMs: LATER_STEP_DELAY_MS },
};

const HELD_SUCCESS: Outcome = {
  ...PENDING,
  next: { status: "SUCCESS", reason: null, delayMs: HELD_ANSWER_DELAY_MS },
  holdsAnswer: true,
};

/** Keyed by account and IFSC: both must match. */
const SANDBOX_ACCOUNTS: ReadonlyMap<string, Outcome> = new Map([
  ["026291800001191/YESB0000262", SUCCESS],
  ["00011020001772/HDFC0000001", SUCCESS],
  ["1233943142/ICIC0000009", SUCCESS],
  ["000890289871772/SCBL0036078", SUCCESS],
  ["000100289877623/SBIN0008752", SUCCESS],
  ["2640101002729/CNRR0002640", failed(INVALID_IFSC)],
  ["1234567890/ICIC0000001", failed(INVALID_IFSC)],
  ["026291800001190/YESB0000262", failed(INVALID_ACCOUNT)],
  ["234005000876/ICIC0000007", failed(INVALID_ACCOUNT)],
  ["007711000031/HDFC0000077", PENDING],
  ["00224412311300/YESB0000001", pendingThen("SUCCESS", null)],
  ["7766666351000/YESB0000001", pendingThen("FAILED", DECLINED)],
  ["7766671735000/SBIN0000004", SUCCESS_THEN_REVERSED],
  ["02014457596969/CITI0000001", SUCCESS_THEN_REVERSED],
  ["34978321547298/KKBK0000001", HELD_SUCCESS],
]);

const SANDBOX_HANDLES: ReadonlyMap<string, Outcome> = new Map([
  ["success@upi", SUCCESS],
  ["failure@upi", failed(DECLINED)],
]);

/** The outcomes that sandbox accounts demonstrate. */
export type SandboxOutcome = "success" | "failure" | "return" | "pending" | "late_success";

export type SandboxPayee = {
  readonly outcome: SandboxOutcome;
  /** Both empty for a UPI handle. */
  readonly accountNumber: string;
  readonly ifsc: string;
  /** "" for an account. */
  readonly upi: string;
};

const WHAT_SHOWS: readonly (readonly [SandboxOutcome, (outcome: Outcome) => boolean])[] = [
  ["success", (outcome) => outcome === SUCCESS],
  ["failure", ({ status }) => status === "FAILED"],
  ["return", ({ next }) => next?.status === "REVERSED"],
  ["late_success", ({ next, holdsAnswer }) => next?.status === "SUCCESS" && !holdsAnswer],
  ["pending", (outcome) => outcome === PENDING],
];

/** One sandbox account for each outcome, and the UPI handles. */
export function listSandboxPayees(): SandboxPayee[] {
  const accounts = [...SANDBOX_ACCOUNTS];
  const handles = [...SANDBOX_HANDLES];
  return WHAT_SHOWS.flatMap(([outcome, shows]) => {
    const [account] = accounts.filter(([, each]) => shows(each)).map(([name]) => name.split("/"));
    const [accountNumber = "", ifsc = ""] = account ?? [];
    const upi = handles.filter(([, each]) => shows(each)).map(([handle]) => handle);
    return [
      { outcome, accountNumber, ifsc, upi: "" },
      ...upi.map((handle) => ({ outcome, accountNumber: "", ifsc: "", upi: handle })),
    ];
  });
}

const ACCOUNT_NUMBER = /^[A-Za-z0-9]{4,35}$/;
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/;
const HANDLE = /^[^\s@]+@[^\s@]+$/;

function handleOutcome(handle: string): Outcome {
  return SANDBOX_HANDLES.get(handle.toLowerCase()) ?? (HANDLE.test(handle) ? SUCCESS : failed(INVALID_HANDLE));
}

function accountOutcome(payee: Payee): Outcome {
  const known = SANDBOX_ACCOUNTS.get(`${payee.accountNumber}/${payee.ifsc}`);
  if (known) return known;
  if (!ACCOUNT_NUMBER.test(payee.accountNumber ?? "")) return failed(INVALID_ACCOUNT);
  if (!IFSC.test(payee.ifsc ?? "")) return failed(INVALID_IFSC);
  return SUCCESS;
}

/**
 * The outcome of a payment: that of its sandbox account; any other well-formed account or handle succeeds. `isDeclined`, which is
 * random, overrides both.
 */
export function decideOutcome(instruction: PaymentInstruction, isDeclined: boolean): Outcome {
  if (isDeclined) return failed(DECLINED);
  return instruction.mode === "UPI" ? handleOutcome(instruction.payee.upi ?? "") : accountOutcome(instruction.payee);
}

/** The holder of the accounts that return money. */
const SOMEBODY_ELSE = "SOMEBODY ELSE";

/**
 * The bank's verification of an account; `null` for no answer. Accounts that fail don't exist, accounts that return money belong to
 * somebody else, and the account that stays pending never gets an answer.
 */
export function decideCheck(payee: Payee): AccountCheck | null {
  const { status, reason, next, holdsAnswer } = accountOutcome(payee);
  if (holdsAnswer) return null;
  if (status === "FAILED") return { status: "invalid", reason: reason! };
  if (status === "PENDING" && next === null) return { status: "pending", reference: "1" };
  const nameAtBank = next?.status === "REVERSED" ? SOMEBODY_ELSE : payee.name.toUpperCase();
  return {
    status: "valid",
    nameAtBank,
    branch: "Simulated branch",
    utr: `1${lastDigits(BigInt(nameAtBank.length), 11)}`,
  };
}

/** The bank code if the payee has no IFSC. */
const OWN_BANK = "NODL";

/**
 * The UTR of a payment (docs/rules/rails.md#utr): IMPS and UPI 12 digits, NEFT 16 characters, RTGS 22 (`XXXXRCYYYYMMDD########`, the date in
 * India). Made from the transfer id, so that the same payment booked at the same instant has the same one.
 */
export function makeUtr(instruction: PaymentInstruction, bookedAt: Temporal.Instant): string {
  const { mode, payee, transferId } = instruction;
  const bank = payee.ifsc?.slice(0, 4) ?? OWN_BANK;
  switch (mode) {
    case "IMPS":
    case "UPI":
      // The leading digit is never 0, so that a spreadsheet leaves it whole.
      return (100_000_000_000n + (transferId % 900_000_000_000n)).toString();
    case "NEFT":
      return `${bank}N${lastDigits(transferId, 11)}`;
    case "RTGS": {
      const date = bookedAt.toZonedDateTimeISO("Asia/Kolkata").toPlainDate().toString().replaceAll("-", "");
      return `${bank}RC${date}${lastDigits(transferId, 8)}`;
    }
  }
}

function lastDigits(id: bigint, count: number): string {
  return id.toString().padStart(count, "0").slice(-count);
}
