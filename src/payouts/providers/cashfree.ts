// Cashfree Payouts V2 as a rail. What its statuses mean: docs/rules/rails.md#cashfree
import { createHash, createHmac } from "node:crypto";
import { isSame } from "../../platform/bytes.ts";
import { rupeesNumber, toJson } from "../../platform/json.ts";
import { parsePaise } from "../../platform/money.ts";
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
  NotSentError,
  RefusedError,
  requireLeast,
  WEBHOOK_MAX_AGE_MS,
  webhookSecretsOf,
  type ArrivedWebhook,
  type Asked,
  type Connector,
  type ProviderAccess,
  type ProviderNotice,
} from "./connector.ts";
import {
  describe,
  eventFields,
  fieldsOf,
  plainText,
  ProviderClient,
  textOf,
  type ProviderFields,
} from "./provider-client.ts";
import { ProviderPayments, reportsOn } from "./provider-payments.ts";

const STATUSES = {
  RECEIVED: "PENDING",
  QUEUED: "PENDING",
  APPROVAL_PENDING: "PENDING",
  PENDING: "PENDING",
  SUCCESS: "SUCCESS",
  FAILED: "FAILED",
  REVERSED: "REVERSED",
  REJECTED: "REJECTED",
  MANUALLY_REJECTED: "REJECTED",
} as const;

/** What says that the account can't be paid. Other codes say that the bank could not be asked. */
const NO_SUCH_ACCOUNT = new Set([
  "INVALID_ACCOUNT_FAIL",
  "INVALID_IFSC_FAIL",
  "ACCOUNT_BLOCKED",
  "NRE_ACCOUNT_FAIL",
  "FRAUD_ACCOUNT",
]);
const UNDER_WAY = new Set(["RECEIVED", "PROCESSING", "IN_PROCESS", "APPROVAL_PENDING", "PARTIALLY_APPROVED"]);

const NAME_MAX_LENGTH = 100;
const REMARKS_MAX_LENGTH = 70;

/** A connector to one account at Cashfree. */
export class Cashfree implements Connector {
  readonly name = "cashfree";
  readonly #access: ProviderAccess;
  readonly #client: ProviderClient;
  /** Another product at the same address, with the same credentials. */
  readonly #verification: ProviderClient;
  readonly #payments: ProviderPayments;

  constructor(access: ProviderAccess) {
    this.#access = access;
    this.#payments = new ProviderPayments("Cashfree", access, STATUSES);
    const headers = { "x-client-id": access.id, "x-client-secret": access.secret, "x-api-version": "2024-01-01" };
    this.#client = new ProviderClient(`${access.baseUrl}/payout`, headers, access.timeoutMs);
    this.#verification = new ProviderClient(`${access.baseUrl}/verification`, headers, access.timeoutMs);
  }

  async submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport> {
    requireLeast(instruction);
    const first = await this.#request(instruction, signal);
    if (first !== "payee is gone") return first;
    // It was removed there since we made it: nothing was paid, and the id is free.
    this.#payments.forgetPayee(instruction);
    const second = await this.#request(instruction, signal);
    if (second !== "payee is gone") return second;
    throw new Error("Cashfree does not find the beneficiary that it has just been given.");
  }

  async status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null> {
    const query = { transfer_id: this.#payments.idOf(reference) };
    const { status, body } = await this.#client.call({ method: "GET", path: "/transfers", query, signal });
    if (status === 404 && textOf(body, "code") === "transfer_not_found") return null;
    if (status !== 200) throw new Error(`Cashfree does not say how the transfer stands: ${describe(body)}`);
    return this.#toReport(reference, body);
  }

  statuses(references: readonly PaymentReference[], _asked: Asked, signal: AbortSignal): Promise<PaymentReport[]> {
    return reportsOn(references, (reference) => this.status(reference, signal));
  }

  /** No call of its own is there for it: a transfer that can't exist is asked for. */
  async check(signal: AbortSignal): Promise<{ readonly balancePaise: null }> {
    const { status, body } = await this.#client.call({
      method: "GET",
      path: "/transfers",
      query: { transfer_id: "n_check" },
      signal,
    });
    if (status === 404 && textOf(body, "code") === "transfer_not_found") return { balancePaise: null };
    throw new Error(`Cashfree answered ${status}: ${describe(body)}`);
  }

  async verifyAccount({ payee, mobile, reference }: AccountQuestion, signal: AbortSignal): Promise<AccountCheck> {
    const digits = mobile.replaceAll(/[^0-9]/g, "");
    const fields = {
      bank_account: payee.accountNumber,
      ifsc: payee.ifsc,
      name: plainText(payee.name, NAME_MAX_LENGTH),
      ...(digits.length >= 8 && digits.length <= 13 ? { phone: digits } : {}),
    };
    const { status, body } = await this.#verification.call(
      reference === null
        ? { method: "POST", path: "/bank-account/sync", body: toJson(fields), signal }
        : { method: "GET", path: "/bank-account", query: { reference_id: reference }, signal },
    );
    if (status >= 300) throw new RefusedError(describe(body));
    const [said, code] = [textOf(body, "account_status"), textOf(body, "account_status_code")];
    if (said === "VALID") {
      const [nameAtBank, branch, utr] = ["name_at_bank", "branch", "utr"].map((name) => textOf(body, name));
      return { status: "valid", nameAtBank: nameAtBank!, branch: branch!, utr: utr! };
    }
    if (NO_SUCH_ACCOUNT.has(code)) return { status: "invalid", reason: code };
    const number = textOf(body, "reference_id");
    if (UNDER_WAY.has(said) && number !== "") return { status: "pending", reference: number };
    throw new Error(`The bank gave no answer about this account: ${code || said}`);
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
    // Its events have no id: a delivery that is tried again has the same body.
    const eventId = createHash("sha256").update(body).digest("hex");
    const data = fieldsOf(eventFields(body), "data");
    return {
      eventId,
      about: this.#payments.find(data.transfer_id),
      claims: this.#payments.statusOf(textOf(data, "status")),
    };
  }

  /** Nothing comes by itself: webhooks arrive at the server, and what is pending is asked about. */
  start(): void {}

  async stop(): Promise<void> {}

  async #request(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport | "payee is gone"> {
    const beneficiary_id = await this.#payments.payee(instruction, (ownId) =>
      this.#makePayee(ownId, instruction, signal),
    );
    const { status, body } = await this.#client.call({
      method: "POST",
      path: "/transfers",
      body: toJson({
        transfer_id: this.#payments.idOf(instruction),
        transfer_amount: rupeesNumber(instruction.amountPaise),
        transfer_mode: instruction.mode.toLowerCase(),
        transfer_remarks: plainText(instruction.narrative, REMARKS_MAX_LENGTH),
        beneficiary_details: { beneficiary_id },
      }),
      signal,
    });
    if (status < 300) return this.#toReport(instruction, body);
    if (status === 409) {
      // Whatever becomes of this question: there is a payment under the id.
      const known = await this.status(instruction, signal).catch((error: unknown) => {
        throw new Error("Cashfree has a transfer under this id, and does not say how it stands.", { cause: error });
      });
      if (!known) throw new Error("Cashfree has used this id, and does not know its transfer.");
      return known;
    }
    switch (textOf(body, "code")) {
      case "beneficiary_not_found":
        return "payee is gone";
      case "insufficient_balance":
        throw new NotSentError("low_balance", `Cashfree sent nothing: ${describe(body)}`);
      default:
        throw new RefusedError(describe(body));
    }
  }

  /** Makes a payee who is paid for the first time. Returns what it is called there. */
  async #makePayee(ownId: string, { payee, mode }: PaymentInstruction, signal: AbortSignal): Promise<string> {
    const account = { bank_account_number: payee.accountNumber, bank_ifsc: payee.ifsc };
    const { status, body } = await this.#client.call({
      method: "POST",
      path: "/beneficiary",
      body: toJson({
        beneficiary_id: ownId,
        beneficiary_name: plainText(payee.name.replaceAll(/[0-9]/g, " "), NAME_MAX_LENGTH) || "Payee",
        beneficiary_instrument_details: mode === "UPI" ? { vpa: payee.upi } : account,
      }),
      signal,
    });
    const code = textOf(body, "code");
    const isElsewhere = code === "beneficiary_already_exists" && mode !== "UPI";
    if (isElsewhere) return this.#findSame(payee, signal);
    if (status >= 300 && code !== "beneficiary_id_already_exists") throw new RefusedError(describe(body));
    return ownId;
  }

  /** The beneficiary that has the same account under another id, made by hand or by another system. */
  async #findSame({ accountNumber, ifsc }: Payee, signal: AbortSignal): Promise<string> {
    const query = { bank_account_number: accountNumber ?? "", bank_ifsc: ifsc ?? "" };
    const { status, body } = await this.#client.call({ method: "GET", path: "/beneficiary", query, signal });
    if (status !== 200) throw new Error(`Cashfree does not say who has this account already: ${describe(body)}`);
    const instrument = fieldsOf(body, "beneficiary_instrument_details");
    if (instrument.bank_account_number !== accountNumber || instrument.bank_ifsc !== ifsc)
      throw new Error("Cashfree answered about another account than the one that it was asked for.");
    return textOf(body, "beneficiary_id");
  }

  #toReport(reference: PaymentReference, body: ProviderFields): PaymentReport {
    const [code, amount] = [textOf(body, "status_code"), body.transfer_amount];
    return this.#payments.report(reference, {
      id: textOf(body, "transfer_id"),
      status: textOf(body, "status"),
      amountPaise: amount === undefined ? undefined : parsePaise(amount),
      utr: textOf(body, "transfer_utr"),
      reason: `${code}: ${textOf(body, "status_description")}`,
      acknowledged: code === "COMPLETED",
      fee: feeOf(body),
    });
  }
}

/** Its charge is without the tax on it. */
function feeOf(body: ProviderFields): ProviderFee | null {
  const [feePaise, taxPaise] = [parsePaise(body.transfer_service_charge), parsePaise(body.transfer_service_tax)];
  return feePaise === null ? null : { feePaise, taxPaise: taxPaise ?? 0n };
}
