// Use cases: ask the bank who owns a beneficiary's account, and accept a name that differs. One rule compares names for all
// providers, whose own scores differ.
// docs/rules/payouts.md#verified-accounts
import { UnavailableError } from "../../platform/providers/errors.ts";
import { auditChange, recordEvents } from "../../ledger/index.ts";
import { requireMoneyMover, type Merchant, type MerchantKey, type ReadContext } from "../../merchants/index.ts";
import { inTransaction, type Connection, type Queryable } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { Gate } from "../../platform/gate.ts";
import { takeRates, type RateGrant } from "../../platform/rates/rate-store.ts";
import { findBeneficiaries, holdBeneficiary, updateBeneficiary, type BeneficiaryName } from "./beneficiary-store.ts";
import { beneficiaryNotFound, type Beneficiary, type Verification } from "./beneficiary.ts";
import { refuseSuspended, noPayoutProvider, railOf, withDefaultRails, refusalOfPayee } from "../make-payout.ts";
import { findProviderAccount } from "../providers/provider-account-store.ts";
import { connectorOf, readRailName } from "../providers/provider-account.ts";
import type { AccountCheck, AccountQuestion } from "../rails/rail.ts";
import { decideCheck } from "../rails/simulator-outcome.ts";
import { SIMULATOR } from "../rails/simulator.ts";

const ANSWER_TIMEOUT_MS = 15_000;
const NAME_MAX_LENGTH = 100;
const TEXT_MAX_LENGTH = 200;

/** Each question holds a request and costs its merchant a fee at the provider. */
const questions = new Gate({
  atOnce: 8,
  atOncePerKey: 2,
  maxWaiting: 100,
  maxWaitingPerKey: 8,
  waitMs: 20_000,
  refusal: "Too many accounts are being verified at once: try again in a minute.",
});

/** `accounts` sees the accounts at providers, of all merchants; each look-up names its own. */
export type VerifyContext = ReadContext<Merchant> & {
  readonly accounts: Queryable;
  /** How many verifications the merchant may request in any 24 hours. */
  readonly verificationsPerDay: number;
};

const DAY_MS = 24 * 3_600_000;

/**
 * Asks the bank who owns a beneficiary's account, and saves the answer. A pending answer is asked for again. No database connection
 * is held meanwhile.
 * @throws NodalError `access_denied` for a suspended merchant, `beneficiary_not_found`, `no_bank_account` for one that has only a handle, `beneficiary_not_approved`
 * for one that was rejected or deactivated, `no_payout_provider`, `provider_check_failed` if the bank gave no answer, `rate_limited` if the merchant
 * has reached its daily limit, or `unavailable`
 */
export async function verifyBeneficiary(context: VerifyContext, beneficiaryId: bigint): Promise<Beneficiary> {
  const { pool, merchant } = context;
  // It costs a rupee and a fee.
  refuseSuspended(merchant);
  const name = { bucket: merchant.bucket, merchantId: merchant.merchantId, beneficiaryId };
  const [payee] = await findBeneficiaries(pool, [name]);
  if (!payee) throw beneficiaryNotFound();
  const { accountNumber, ifsc, approval } = payee;
  if (accountNumber === null || ifsc === null) {
    const message = "This beneficiary has no bank account, and UPI handles can't be verified. Nothing was checked.";
    throw new NodalError("no_bank_account", message);
  }
  const refusal = approval === "pending" ? null : refusalOfPayee(payee);
  if (refusal) throw refusal;
  const question = { ...name, payee: { ...payee, accountNumber, ifsc }, mobile: payee.mobile };
  const { check, rail } = await questions.run(String(merchant.merchantId), () => ask(context, question, payee));
  return keep(context, name, { type: "beneficiary.checked" }, (before) => verificationOf(before, check, rail));
}

export type AcceptName = { readonly beneficiaryId: bigint; readonly reason: string };

/**
 * Accepts an account that is in another name at the bank. The audit log records who did it and why.
 * @throws NodalError `beneficiary_not_found`, `approval_decided` if the name does not differ, or `access_denied` for a user without
 * permission to move money
 */
export function acceptName(context: ReadContext, { beneficiaryId, reason }: AcceptName): Promise<Beneficiary> {
  const { bucket, merchantId } = context.merchant;
  const accept = async (before: Beneficiary, connection: Connection): Promise<Verification> => {
    await requireMoneyMover(connection);
    if (before.verification.state === "name_differs") return { ...before.verification, state: "accepted" };
    const message = "There is no differing name to accept: the bank was not asked, or its result has changed.";
    throw new NodalError("approval_decided", message);
  };
  const event = { type: "beneficiary.name_accepted", reason };
  return keep(context, { bucket, merchantId, beneficiaryId }, event, accept);
}

type RequestedCheck = { readonly check: AccountCheck; readonly rail: string };

/** A connector, or the simulated bank. */
type Answerer = (question: AccountQuestion, signal: AbortSignal) => Promise<AccountCheck>;

async function ask(
  { merchant, accounts, verificationsPerDay }: VerifyContext,
  question: Omit<AccountQuestion, "reference">,
  { verification }: Beneficiary,
): Promise<RequestedCheck> {
  const payer = await withDefaultRails(accounts, merchant);
  const rail = railOf(payer, "IMPS");
  const answer = await answererOver(accounts, rail, question);
  // The provider that was asked before continues, as long as the merchant's account there is still the first.
  const [askedRail, asked = null] = verification.reference?.split(" ") ?? [];
  const reference = askedRail === rail ? asked : null;
  // Repeating the question costs nothing.
  if (reference === null) await takeOne(accounts, merchant, verificationsPerDay);
  try {
    return { check: await answer({ ...question, reference }, AbortSignal.timeout(ANSWER_TIMEOUT_MS)), rail };
  } catch (error) {
    if (error instanceof UnavailableError)
      throw new NodalError("provider_check_failed", error.message, { cause: error });
    const why = (error as Error).message.replace(/\.$/, "");
    const message = `The account could not be verified: ${why}. Try again later.`;
    throw new NodalError("provider_check_failed", message, { cause: error });
  }
}

/** Counts a question before it is asked, since it may cost even without an answer. @throws NodalError `rate_limited` */
async function takeOne(db: Queryable, { merchantId }: MerchantKey, limit: number): Promise<void> {
  const key = `verify merchant ${merchantId}`;
  const ask = { key, limit, windowMs: DAY_MS, wanted: 1, ahead: 0, leaseMs: 0, back: null };
  const [{ granted, remaining, resetMs }] = (await takeRates(db, [ask])) as [RateGrant];
  if (granted === 1) return;
  const hours = Math.ceil(resetMs / 3_600_000);
  throw new NodalError(
    "rate_limited",
    `This merchant has reached its limit of ${limit} verifications a day: try again in ${hours} h, or raise VERIFICATIONS_PER_DAY. Nothing was checked.`,
    { rate: { limit, remaining, resetMs } },
  );
}

async function answererOver(accounts: Queryable, rail: string, merchant: MerchantKey): Promise<Answerer> {
  if (rail === SIMULATOR) return answerSimulated;
  const key = readRailName(rail, merchant);
  const account = key && (await findProviderAccount(accounts, key));
  if (!account) throw noPayoutProvider();
  const connector = connectorOf(account, ANSWER_TIMEOUT_MS);
  return (question, signal) => connector.verifyAccount(question, signal);
}

const answerSimulated: Answerer = ({ payee }) => {
  const decided = decideCheck(payee);
  return decided ? Promise.resolve(decided) : Promise.reject(new Error("The payee's bank is offline"));
};

function verificationOf({ name, verification }: Beneficiary, check: AccountCheck, rail: string): Verification {
  const at = Temporal.Now.instant();
  const nothing = { at, nameAtBank: "", branch: "", utr: "", reference: null };
  switch (check.status) {
    case "pending": {
      const reference = `${rail} ${check.reference}`;
      // An earlier result stays valid until there is a new one.
      const stands = verification.state === "verified" || verification.state === "accepted";
      return stands ? { ...verification, reference } : { ...nothing, state: "pending", reference };
    }
    case "invalid":
      return { ...nothing, state: "invalid" };
    case "valid": {
      const nameAtBank = check.nameAtBank.slice(0, NAME_MAX_LENGTH);
      // An accepted name stays accepted while the bank returns the same one.
      const isAccepted = verification.state === "accepted" && verification.nameAtBank === nameAtBank;
      const state = isSameName(name, nameAtBank) ? "verified" : isAccepted ? "accepted" : "name_differs";
      const [branch, utr] = [check.branch, check.utr].map((text) => text.slice(0, TEXT_MAX_LENGTH));
      return { ...nothing, state, nameAtBank, branch: branch!, utr: utr! };
    }
  }
}

/** Writes the current verification of an account, with its entry. */
async function keep(
  { pool }: Pick<ReadContext, "pool">,
  name: BeneficiaryName,
  event: { readonly type: string; readonly reason?: string },
  change: (before: Beneficiary, connection: Connection) => Verification | Promise<Verification>,
): Promise<Beneficiary> {
  return inTransaction(pool, async (connection) => {
    const before = await holdBeneficiary(connection, name);
    if (!before) throw beneficiaryNotFound();
    const verification = await change(before, connection);
    const after: Beneficiary = { ...before, verification };
    await updateBeneficiary(connection, before, { verification });
    const { type, ...why } = event;
    const { before: earlier, after: now } = auditChange(before, after);
    await recordEvents(connection, before, [
      { type, subjectId: name.beneficiaryId, before: earlier, after: { ...now, ...why } },
    ]);
    return after;
  });
}

/** Titles of people and firms, which are not part of the name. */
const TITLES = new Set(["MR", "MRS", "MS", "MISS", "DR", "SHRI", "SHREE", "SRI", "SMT", "KUM", "MESSRS"]);
/** Variants of the same word. */
const SAME: Readonly<Record<string, string>> = {
  PVT: "PRIVATE",
  LTD: "LIMITED",
  CO: "COMPANY",
  CORP: "CORPORATION",
  BROS: "BROTHERS",
  ENTERPRISE: "ENTERPRISES",
  AND: "",
};
/** The shortest length at which banks truncate names. */
const SHORTEST_CUT = 18;

/**
 * Whether two names are the same apart from case, accents, punctuation, titles, word order, spellings of a firm's legal form, initials
 * for words, and an end that the bank has truncated.
 */
export function isSameName(given: string, atBank: string): boolean {
  const [ours, theirs] = [wordsOf(given), wordsOf(atBank)];
  if (ours.length === 0 || theirs.length === 0) return false;
  const [oursJoined, theirsJoined] = [ours.join(""), theirs.join("")];
  if (oursJoined === theirsJoined) return true;
  if (theirsJoined.length >= SHORTEST_CUT && oursJoined.startsWith(theirsJoined)) return true;
  return hasSameWords(ours, theirs);
}

function wordsOf(name: string): string[] {
  const plain = name
    .normalize("NFKD")
    // Accents of Latin letters; the vowel signs of other scripts are part of the word.
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .replaceAll(/\bM\s*\/\s*S\b\.?/g, " ")
    .replaceAll(/\(\s*P\s*\)/g, " PRIVATE ")
    .replaceAll(/['’]/g, "");
  return plain
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map((word) => SAME[word] ?? word)
    .filter((word) => word !== "" && !TITLES.has(word));
}

/** The same words in any order. A single letter matches any word that begins with it; at least one whole word must match. */
function hasSameWords(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length !== theirs.length) return false;
  const left = [...theirs];
  const take = (isIt: (word: string) => boolean): boolean => {
    const place = left.findIndex(isIt);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  };
  const others = ours.filter((word) => !take((each) => each === word));
  const hasWhole = ours.some((word) => word.length > 1 && !others.includes(word));
  const isInitial = (word: string, of: string): boolean => word.length === 1 && of.startsWith(word);
  return hasWhole && others.every((word) => take((each) => isInitial(word, each) || isInitial(each, word)));
}
