// Cashfree Payouts V2 as a rail. Its statuses: docs/rules/rails.md#cashfree
import { RefusedError } from "../../platform/providers/errors.ts";
import { WEBHOOK_MAX_AGE_MS, type ArrivedWebhook } from "../../platform/providers/webhook.ts";
import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isSame } from "../../platform/bytes.ts";
import { rupeesNumber, toJson } from "../../platform/json.ts";
import { parsePaise } from "../../platform/money.ts";
import type {
  AccountCheck,
  AccountQuestion,
  PaymentInstruction,
  PaymentReference,
  PaymentReport,
  ProviderFee,
} from "../rails/rail.ts";
import {
  ACKNOWLEDGED,
  CASHFREE_STATUSES,
  NO_BALANCE,
  QUEUED,
  STATUS_WAITS_FOR,
  UNKNOWN_PAYEE,
  UNKNOWN_TRANSFER,
  UNUSABLE_PAYEES,
  USED_ID,
  USED_PAYEE_ID,
  WAITS_FOR,
} from "./cashfree-codes.ts";
import { CashfreeKeys, signatureMaker } from "./cashfree-keys.ts";
import { CashfreeVerification } from "./cashfree-verification.ts";
import {
  STANDALONE,
  AccountUnfitError,
  requireMinimum,
  webhookSecretsOf,
  type Period,
  type Connector,
  type ConnectorParts,
  type ProviderAccess,
  type ProviderNotice,
} from "./connector.ts";
import { payeeId, type PaidTo } from "./payment-id.ts";
import {
  describe,
  eventFields,
  fieldsOf,
  plainText,
  ProviderClient,
  textOf,
  type ProviderFields,
} from "../../platform/providers/provider-client.ts";
import { ProviderPayments, reportsOn } from "./provider-payments.ts";

const NAME_MAX_LENGTH = 100;
const REMARKS_MAX_LENGTH = 70;
const ACCOUNT_NUMBER = /^[A-Za-z0-9]{4,25}$/;
const INLINE_REMEMBERED = 10_000;

/** The payee exists at Cashfree under an unknown id, so it is paid by its details. */
class PaidInlineError extends Error {}

/** A connector to one account at Cashfree. */
export class Cashfree implements Connector {
  readonly name = "cashfree";
  readonly #access: ProviderAccess;
  readonly #client: ProviderClient;
  readonly #keys: CashfreeKeys;
  readonly #verification: CashfreeVerification;
  readonly #payments: ProviderPayments;
  /** Our ids of payees that are paid by their details. */
  readonly #inline = new LRUCache<string, true>({ max: INLINE_REMEMBERED });

  constructor(access: ProviderAccess, { payees, pace }: ConnectorParts = STANDALONE) {
    this.#access = access;
    this.#payments = new ProviderPayments("Cashfree", access, CASHFREE_STATUSES, payees);
    const sign = signatureMaker(access.signingKey ?? null);
    const keys = { "x-client-id": access.id, "x-client-secret": access.secret, "x-api-version": "2024-01-01" };
    const headers = (): Record<string, string> => ({ ...keys, ...sign(access.id) });
    this.#client = new ProviderClient(`${access.baseUrl}/payout`, headers, access.timeoutMs, pace);
    this.#keys = new CashfreeKeys(this.#client, access.fundSource ?? null);
    this.#verification = new CashfreeVerification(access, sign);
  }

  async submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport> {
    requireMinimum(instruction);
    requireAccount(instruction);
    const first = await this.#request(instruction, signal);
    if (first !== "payee is gone") return first;
    // The payee was removed there since we created it: nothing was paid, and the id is free.
    await this.#payments.forgetPayee(instruction);
    const second = await this.#request(instruction, signal);
    if (second !== "payee is gone") return second;
    throw new Error("Cashfree does not find the beneficiary that was just created.");
  }

  async status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null> {
    const query = { transfer_id: this.#payments.idOf(reference) };
    const isAnswer = (body: ProviderFields): boolean => textOf(body, "code") === UNKNOWN_TRANSFER;
    const turn = { kind: "question", merchantId: reference.merchantId } as const;
    const call = { method: "GET", path: "/transfers", query, isAnswer, turn, signal } as const;
    const { status, body } = await this.#client.call(call);
    if (isAnswer(body)) return null;
    if (status !== 200) throw new Error(`Cashfree does not give the status of the transfer: ${describe(body)}`);
    return this.#toReport(reference, body);
  }

  statuses(references: readonly PaymentReference[], _period: Period, signal: AbortSignal): Promise<PaymentReport[]> {
    return reportsOn(references, (reference) => this.status(reference, signal));
  }

  check(signal: AbortSignal): Promise<{ readonly balancePaise: bigint | null }> {
    return this.#keys.check(signal);
  }

  verifyAccount(question: AccountQuestion, signal: AbortSignal): Promise<AccountCheck> {
    return this.#verification.ask(question, signal);
  }

  readWebhook({ headers, body }: ArrivedWebhook, now: Temporal.Instant): ProviderNotice | null {
    const [timestamp, signature] = [headers["x-webhook-timestamp"], headers["x-webhook-signature"]];
    if (typeof timestamp !== "string" || typeof signature !== "string" || !/^[0-9]{10,13}$/.test(timestamp))
      return null;
    const given = Buffer.from(signature, "base64");
    const isSigned = webhookSecretsOf(this.#access, now).some((secret) =>
      isSame(given, createHmac("sha256", secret).update(timestamp).update(body).digest()),
    );
    if (!isSigned) return null;
    const signedAtMs = Number(timestamp) * (timestamp.length === 10 ? 1000 : 1);
    if (Math.abs(now.epochMilliseconds - signedAtMs) > WEBHOOK_MAX_AGE_MS) return null;
    const data = fieldsOf(eventFields(body), "data");
    return {
      about: this.#payments.find(data.transfer_id),
      claims: this.#payments.statusOf(textOf(data, "status")),
    };
  }

  /** Nothing to start: webhooks arrive at the server, and pending payments are polled. */
  start(): void {}

  async stop(): Promise<void> {}

  async #request(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport | "payee is gone"> {
    const fields = {
      transfer_id: this.#payments.idOf(instruction),
      transfer_amount: rupeesNumber(instruction.amountPaise),
      transfer_mode: instruction.mode.toLowerCase(),
      transfer_remarks: plainText(instruction.narrative, REMARKS_MAX_LENGTH),
      beneficiary_details: await this.#detailsOf(instruction, signal),
      ...(this.#access.fundSource ? { fundsource_id: this.#access.fundSource } : {}),
    };
    const { status, body } = await this.#client.call({
      method: "POST",
      path: "/transfers",
      body: toJson(fields),
      isAnswer: isUsedId,
      turn: { kind: "payment", merchantId: instruction.merchantId },
      signal,
    });
    if (status < 300) return this.#toReport(instruction, body);
    if (textOf(body, "code") === UNKNOWN_PAYEE) return "payee is gone";
    return this.#afterRefusal(instruction, { isUsed: status === 409 || isUsedId(body), why: describe(body) }, signal);
  }

  /**
   * The result of a refused transfer: with any error code, a transfer may exist under its id.
   * @throws RefusedError only if Cashfree knows none and did not say that the id is used
   */
  async #afterRefusal(
    instruction: PaymentInstruction,
    { isUsed, why }: { readonly isUsed: boolean; readonly why: string },
    signal: AbortSignal,
  ): Promise<PaymentReport> {
    const known = await this.status(instruction, signal).catch((error: unknown) => {
      const message = `Cashfree refused the transfer (${why}) and gives no status for its id.`;
      throw new Error(message, { cause: error });
    });
    if (known) return known;
    if (isUsed) throw new Error("Cashfree says that the transfer's id is used, but does not know the transfer.");
    throw new RefusedError(why);
  }

  /** The beneficiary's id, created at Cashfree if needed, or its details. */
  async #detailsOf(instruction: PaidTo, signal: AbortSignal): Promise<object> {
    const ownId = payeeId(instruction);
    if (this.#inline.has(ownId)) return detailsOf(instruction);
    try {
      return {
        beneficiary_id: await this.#payments.payee(instruction, (id) => this.#makePayee(id, instruction, signal)),
      };
    } catch (error) {
      if (!(error instanceof PaidInlineError)) throw error;
      this.#inline.set(ownId, true);
      return detailsOf(instruction);
    }
  }

  /** Creates a beneficiary. Returns its id, which is a different one if its account exists already. */
  async #makePayee(ownId: string, paidTo: PaidTo, signal: AbortSignal): Promise<string> {
    const fields = { beneficiary_id: ownId, ...detailsOf(paidTo) };
    const { status, body } = await this.#client.call({
      method: "POST",
      path: "/beneficiary",
      body: toJson(fields),
      signal,
    });
    if (status < 300 || textOf(body, "code") === USED_PAYEE_ID) return ownId;
    if (status !== 409) throw new RefusedError(describe(body));
    return this.#findPayee(ownId, paidTo, signal);
  }

  /**
   * The existing beneficiary that prevents a new one, by its account or by our id for it.
   * @throws PaidInlineError if it can't be found, or can't be paid by its id
   */
  async #findPayee(ownId: string, { mode, payee }: PaidTo, signal: AbortSignal): Promise<string> {
    const byAccount = { bank_account_number: payee.accountNumber ?? "", bank_ifsc: payee.ifsc ?? "" };
    for (const query of mode === "UPI" ? [{ beneficiary_id: ownId }] : [byAccount, { beneficiary_id: ownId }]) {
      const { status, body } = await this.#client.call({ method: "GET", path: "/beneficiary", query, signal });
      if (status === 404) continue;
      if (status !== 200) throw new Error(`Cashfree does not give the beneficiary of this account: ${describe(body)}`);
      const instrument = fieldsOf(body, "beneficiary_instrument_details");
      const isIt =
        mode === "UPI"
          ? textOf(instrument, "vpa").toLowerCase() === payee.upi?.toLowerCase()
          : instrument.bank_account_number === payee.accountNumber && instrument.bank_ifsc === payee.ifsc;
      const id = textOf(body, "beneficiary_id");
      if (isIt && id !== "" && !UNUSABLE_PAYEES.has(textOf(body, "beneficiary_status"))) return id;
    }
    throw new PaidInlineError();
  }

  #toReport(reference: PaymentReference, body: ProviderFields): PaymentReport {
    const [status, code] = [textOf(body, "status"), textOf(body, "status_code")];
    const sentence = textOf(body, "status_description");
    const waitsFor = WAITS_FOR[code] ?? STATUS_WAITS_FOR[status];
    return this.#payments.report(reference, {
      id: textOf(body, "transfer_id"),
      status,
      amountPaise: body.transfer_amount === undefined ? undefined : parsePaise(body.transfer_amount),
      utr: textOf(body, "transfer_utr"),
      reason: `${code}: ${sentence}`,
      waitsFor: waitsFor === undefined ? null : `Waiting at Cashfree: ${waitsFor}. ${sentence}`.trim(),
      isShort: status === QUEUED && (code === NO_BALANCE || /balance|fund/i.test(sentence)),
      acknowledged: code === ACKNOWLEDGED,
      fee: feeOf(body),
    });
  }
}

/** @throws AccountUnfitError for an account number that Cashfree considers invalid: docs/providers/cashfree.md#limits */
function requireAccount({ mode, payee: { accountNumber } }: PaidTo): void {
  if (mode === "UPI" || accountNumber === null || ACCOUNT_NUMBER.test(accountNumber)) return;
  throw new AccountUnfitError(
    `Cashfree pays accounts whose number has 4 to 25 letters and digits; this one has ${accountNumber.length}.`,
  );
}

function isUsedId(body: ProviderFields): boolean {
  return textOf(body, "code") === USED_ID || /transfer[_ ]?id already exists/i.test(textOf(body, "message"));
}

/** The payee of a transfer, by name and account or handle. */
function detailsOf({ mode, payee }: PaidTo): object {
  const account = { bank_account_number: payee.accountNumber, bank_ifsc: payee.ifsc };
  return {
    beneficiary_name: plainText(payee.name.replaceAll(/[0-9]/g, " "), NAME_MAX_LENGTH) || "Payee",
    beneficiary_instrument_details: mode === "UPI" ? { vpa: payee.upi } : account,
  };
}

/** Its charge excludes the tax. */
function feeOf(body: ProviderFields): ProviderFee | null {
  const [feePaise, taxPaise] = [parsePaise(body.transfer_service_charge), parsePaise(body.transfer_service_tax)];
  return feePaise === null ? null : { feePaise, taxPaise: taxPaise ?? 0n };
}
