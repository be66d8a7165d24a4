// RazorpayX as a rail. Its states: docs/rules/rails.md#razorpayx
import { NotSentError, RefusedError, UnavailableError } from "../../platform/providers/errors.ts";
import { WEBHOOK_MAX_AGE_MS, type ArrivedWebhook } from "../../platform/providers/webhook.ts";
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isSame } from "../../platform/bytes.ts";
import { toJson } from "../../platform/json.ts";
import type {
  AccountCheck,
  AccountQuestion,
  Payee,
  PaymentInstruction,
  PaymentReference,
  PaymentReport,
  ProviderFee,
} from "../rails/rail.ts";
import {
  STANDALONE,
  requireMinimum,
  webhookSecretsOf,
  type Period,
  type Connector,
  type ConnectorParts,
  type ProviderAccess,
  type ProviderNotice,
} from "./connector.ts";
import {
  addressRefused,
  describe,
  eventFields,
  fieldsOf,
  isFields,
  plainText,
  ProviderClient,
  textOf,
  type Call,
  type ProviderAnswer,
  type ProviderFields,
} from "../../platform/providers/provider-client.ts";
import type { PaidTo } from "./payment-id.ts";
import { ProviderPayments, reportsOn } from "./provider-payments.ts";
import { readDowntime, signedAtOf } from "./razorpayx-events.ts";

const STATUSES = {
  pending: "PENDING",
  queued: "PENDING",
  scheduled: "PENDING",
  processing: "PENDING",
  processed: "SUCCESS",
  failed: "FAILED",
  rejected: "REJECTED",
  cancelled: "REJECTED",
  reversed: "REVERSED",
} as const;

const NAME_MIN_LENGTH = 3;
const NAME_MAX_LENGTH = 50;
const NARRATION_MAX_LENGTH = 30;
const ASKED_ONE_BY_ONE = 10;
const PAGE = 100;
/** The type of account that can have others verified. */
const VALIDATING_ACCOUNT = "razorpayx_lite";
/** What keys of the test mode begin with. */
const TEST_KEY = "rzp_test_";

/** A connector to one account at RazorpayX. */
export class RazorpayX implements Connector {
  readonly name = "razorpayx";
  readonly #access: ProviderAccess;
  readonly #client: ProviderClient;
  readonly #payments: ProviderPayments;

  constructor(access: ProviderAccess, { payees, pace }: ConnectorParts = STANDALONE) {
    this.#access = access;
    this.#payments = new ProviderPayments("RazorpayX", access, STATUSES, payees);
    const authorization = `Basic ${Buffer.from(`${access.id}:${access.secret}`).toString("base64")}`;
    this.#client = new ProviderClient(`${access.baseUrl}/v1`, () => ({ authorization }), access.timeoutMs, pace);
  }

  async submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport> {
    requireMinimum(instruction);
    const first = await this.#request(instruction, signal);
    if (first !== "payee is gone") return first;
    // The call had no effect: the payee is created again, and the payment is sent with the same key.
    await this.#payments.forgetPayee(instruction);
    const second = await this.#request(instruction, signal);
    if (second !== "payee is gone") return second;
    throw new RefusedError("RazorpayX does not find the fund account that was just created.");
  }

  async status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null> {
    const query = { account_number: this.#access.sourceAccount ?? "", reference_id: this.#payments.idOf(reference) };
    const turn = { kind: "question", merchantId: reference.merchantId } as const;
    const { status, body } = await this.#call({ method: "GET", path: "/payouts", query, turn, signal });
    if (status !== 200 || !Array.isArray(body.items))
      throw new Error(`RazorpayX does not give the status of the payout: ${describe(body)}`);
    const found = body.items
      .filter(isFields)
      .filter((item) => textOf(item, "reference_id") === this.#payments.idOf(reference));
    if (found.length > 1) throw new Error("RazorpayX has several payouts with this reference.");
    return found.length === 0 ? null : this.#toReport(reference, found[0]!);
  }

  /** Asks about a few payments one by one; for many, lists all payments of the period, page by page. */
  async statuses(
    references: readonly PaymentReference[],
    asked: Period,
    signal: AbortSignal,
  ): Promise<PaymentReport[]> {
    if (references.length <= ASKED_ONE_BY_ONE)
      return reportsOn(references, (reference) => this.status(reference, signal));
    const wanted = new Map(references.map((reference) => [this.#payments.idOf(reference), reference]));
    const found: (readonly [PaymentReference, ProviderFields])[] = [];
    for (let skip = 0; ; skip += PAGE) {
      const items = await this.#list(asked, skip, references[0]!.merchantId, signal);
      for (const item of items) {
        const reference = wanted.get(textOf(item, "reference_id"));
        if (reference) found.push([reference, item]);
      }
      if (items.length < PAGE) break;
    }
    return reportsOn(found, ([reference, item]) => this.#toReport(reference, item));
  }

  async #list({ from, to }: Period, skip: number, merchantId: bigint, signal: AbortSignal): Promise<ProviderFields[]> {
    const query = {
      account_number: this.#access.sourceAccount ?? "",
      from: String(Math.floor(from.epochMilliseconds / 1000)),
      to: String(Math.ceil(to.epochMilliseconds / 1000)),
      count: String(PAGE),
      skip: String(skip),
    };
    const turn = { kind: "review", merchantId } as const;
    const { status, body } = await this.#call({ method: "GET", path: "/payouts", query, turn, signal });
    if (status !== 200 || !Array.isArray(body.items))
      throw new Error(`RazorpayX does not list its payouts: ${describe(body)}`);
    return body.items.filter(isFields);
  }

  async check(signal: AbortSignal): Promise<{ readonly balancePaise: bigint | null }> {
    const account = await this.#account(signal);
    const amount = textOf(account, "available_amount") || textOf(account, "amount");
    return { balancePaise: /^-?[0-9]+$/.test(amount) ? BigInt(amount) : null };
  }

  async verifyAccount(question: AccountQuestion, signal: AbortSignal): Promise<AccountCheck> {
    const isInTestMode = this.#access.id.startsWith(TEST_KEY);
    if (isInTestMode || textOf(await this.#account(signal), "account_type") !== VALIDATING_ACCOUNT)
      throw new UnavailableError(
        "This account can't verify bank accounts: RazorpayX offers that only for RazorpayX Lite in live mode. Accept the account's name by hand, or connect an account that can verify.",
      );
    const first =
      question.reference === null
        ? await this.#startValidation(question, signal)
        : await this.#validation(question.reference, signal);
    let check = readValidation(first);
    for (const waitMs of ASK_AGAIN_AFTER_MS) {
      if (check.status !== "pending") break;
      await sleep(waitMs, undefined, { signal });
      check = readValidation(await this.#validation(check.reference, signal));
    }
    return check;
  }

  readWebhook({ headers, body }: ArrivedWebhook, now: Temporal.Instant): ProviderNotice | null {
    // The header x-razorpay-event-id is not signed, so it says nothing.
    const signature = headers["x-razorpay-signature"];
    if (typeof signature !== "string") return null;
    const given = Buffer.from(signature, "hex");
    const isSigned = webhookSecretsOf(this.#access, now).some((secret) =>
      isSame(given, createHmac("sha256", secret).update(body).digest()),
    );
    if (!isSigned) return null;
    const event = eventFields(body);
    // Signed once, and retried for a day. Clocks may differ.
    const ageMs = now.epochMilliseconds - signedAtOf(event);
    if (!(ageMs >= -WEBHOOK_MAX_AGE_MS && ageMs <= DELIVERED_WITHIN_MS + WEBHOOK_MAX_AGE_MS)) return null;
    const payout = fieldsOf(fieldsOf(fieldsOf(event, "payload"), "payout"), "entity");
    const downtime = readDowntime(event);
    return {
      about: this.#payments.find(payout.reference_id),
      claims: this.#payments.statusOf(textOf(payout, "status")),
      ...(downtime ? { downtime } : {}),
    };
  }

  /** Nothing to start: webhooks arrive at the server, and pending payments are polled. */
  start(): void {}

  async stop(): Promise<void> {}

  async #request(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport | "payee is gone"> {
    const fund_account_id = await this.#payments.payee(instruction, (ownId) =>
      this.#makePayee(ownId, instruction, signal),
    );
    const narration = plainText(instruction.narrative, NARRATION_MAX_LENGTH);
    const { status, body } = await this.#post("/payouts", instruction, signal, {
      headers: { "x-payout-idempotency": this.#payments.idOf(instruction) },
      fields: {
        account_number: this.#access.sourceAccount,
        fund_account_id,
        amount: instruction.amountPaise,
        currency: "INR",
        mode: instruction.mode,
        purpose: "payout",
        // A payment that waits there for balance could be sent after it was given up here.
        queue_if_low_balance: false,
        reference_id: this.#payments.idOf(instruction),
        // Without one the payee reads the account's own label.
        ...(narration === "" ? {} : { narration }),
      },
    });
    if (status < 300) return this.#toReport(instruction, body);
    const problem = describe(body);
    const error = fieldsOf(body, "error");
    if (textOf(error, "reason") === "insufficient_funds" || /enough balance/i.test(problem))
      throw new NotSentError("low_balance", `RazorpayX sent nothing: ${problem}`);
    // The key was used with another body, so a payment with this id may exist; or the answer is undocumented.
    if (status !== 400 || /idempotency/i.test(problem)) throw new Error(`RazorpayX: ${problem}`);
    // It does not always say which id it means; that of the fund account is the only one in the body.
    if (/id provided does not exist|is not a valid id/i.test(problem)) return "payee is gone";
    throw new RefusedError(problem);
  }

  /** The account that pays, with its balance and its type. */
  async #account(signal: AbortSignal): Promise<ProviderFields> {
    for (let skip = 0; ; skip += PAGE) {
      const query = { count: String(PAGE), skip: String(skip) };
      const { status, body } = await this.#call({ method: "GET", path: "/banking_balances", query, signal });
      if (status !== 200 || !Array.isArray(body.items))
        throw new Error(`RazorpayX answered ${status}: ${describe(body)}`);
      const items = body.items.filter(isFields);
      const account = items.find((item) => item.account_number === this.#access.sourceAccount);
      if (account) return account;
      if (items.length < PAGE)
        throw new Error(`RazorpayX has no account ${this.#access.sourceAccount} for these credentials.`);
    }
  }

  async #startValidation({ bucket, merchantId, payee }: AccountQuestion, signal: AbortSignal): Promise<ProviderFields> {
    const paidTo = { bucket, merchantId, payee, mode: "IMPS" } as const;
    const id = await this.#payments.payee(paidTo, (ownId) => this.#makePayee(ownId, paidTo, signal));
    const asked = { account_number: this.#access.sourceAccount, fund_account: { id }, amount: 100n, currency: "INR" };
    const { status, body } = await this.#post("/fund_accounts/validations", paidTo, signal, { fields: asked });
    if (status >= 300) throw new RefusedError(describe(body));
    return body;
  }

  async #validation(id: string, signal: AbortSignal): Promise<ProviderFields> {
    const path = `/fund_accounts/validations/${encodeURIComponent(id)}`;
    const { status, body } = await this.#call({ method: "GET", path, signal });
    if (status !== 200) throw new RefusedError(describe(body));
    return body;
  }

  /** Creates the fund account of a new payee. RazorpayX returns the same one for equal details, so it may be repeated. */
  async #makePayee(ownId: string, paidTo: PaidTo, signal: AbortSignal): Promise<string> {
    const { payee, mode } = paidTo;
    // Three characters at least, and no special one at the end but a full stop.
    const name = (plainText(payee.name, NAME_MAX_LENGTH) || "Payee").padEnd(NAME_MIN_LENGTH, ".");
    const contact = await this.#post("/contacts", paidTo, signal, { fields: { name, reference_id: ownId } });
    if (contact.status >= 300) throw new RefusedError(describe(contact.body));
    const fields = { contact_id: textOf(contact.body, "id"), ...instrumentOf(mode, name, payee) };
    const account = await this.#post("/fund_accounts", paidTo, signal, { fields });
    if (account.status >= 300) throw new RefusedError(describe(account.body));
    return textOf(account.body, "id");
  }

  #toReport(reference: PaymentReference, body: ProviderFields): PaymentReport {
    const [amount, details] = [textOf(body, "amount"), fieldsOf(body, "status_details")];
    const reason = [textOf(details, "reason").toUpperCase(), textOf(details, "description")];
    return this.#payments.report(reference, {
      id: textOf(body, "reference_id"),
      status: textOf(body, "status"),
      amountPaise: /^[0-9]+$/.test(amount) ? BigInt(amount) : null,
      utr: textOf(body, "utr"),
      reason: reason.filter((part) => part !== "").join(": "),
      acknowledged: true,
      fee: feeOf(body),
    });
  }

  #post(
    path: string,
    { merchantId }: Pick<PaidTo, "merchantId">,
    signal: AbortSignal,
    { fields, headers = {} }: { readonly fields: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<ProviderAnswer> {
    const turn = { kind: "payment", merchantId } as const;
    return this.#call({ method: "POST", path, body: toJson(fields), headers, turn, signal });
  }

  /** @throws NotSentError also if this machine's address is not on the account's list, which is not a refusal of the payment */
  async #call(call: Call): Promise<ProviderAnswer> {
    const answer = await this.#client.call(call);
    const problem = answer.status >= 400 ? describe(answer.body) : "";
    if (/from this IP/i.test(problem)) throw addressRefused("RazorpayX", problem);
    return answer;
  }
}

/** Its `fees` include the tax. */
function feeOf(body: ProviderFields): ProviderFee | null {
  const [fees, tax] = [textOf(body, "fees"), textOf(body, "tax")];
  if (!/^[0-9]{1,15}$/.test(fees)) return null;
  const [all, of] = [BigInt(fees), /^[0-9]{1,15}$/.test(tax) ? BigInt(tax) : 0n];
  // A tax above the total can't be right: the total is the most that was taken.
  return of > all ? { feePaise: all, taxPaise: 0n } : { feePaise: all - of, taxPaise: of };
}

/** How long it retries a webhook, with the first signature. */
const DELIVERED_WITHIN_MS = 24 * 3_600_000;

/** Most answers take seconds; later ones are asked for another time. */
const ASK_AGAIN_AFTER_MS = [150, 500, 1000, 2000];

/** "completed" means that there is an answer, not that the account is valid. */
function readValidation(body: ProviderFields): AccountCheck {
  const [id, status] = [textOf(body, "id"), textOf(body, "status")];
  const [plain, composite] = [fieldsOf(body, "results"), fieldsOf(body, "validation_results")];
  const found = textOf(plain, "account_status") || textOf(composite, "account_status");
  if (status === "created") return { status: "pending", reference: id };
  if (status === "completed" && (found === "active" || found === "valid")) {
    const nameAtBank = textOf(plain, "registered_name") || textOf(composite, "registered_name");
    return { status: "valid", nameAtBank, branch: "", utr: textOf(body, "utr") };
  }
  if (status === "completed" && found === "invalid")
    return { status: "invalid", reason: textOf(composite, "details") || "There is no such account." };
  throw new Error(
    `The bank gave no answer about this account: ${describe(fieldsOf(body, "status_details")) || status}`,
  );
}

function instrumentOf(mode: PaymentInstruction["mode"], name: string, { accountNumber, ifsc, upi }: Payee): object {
  if (mode === "UPI") return { account_type: "vpa", vpa: { address: upi } };
  return { account_type: "bank_account", bank_account: { name, ifsc, account_number: accountNumber } };
}
