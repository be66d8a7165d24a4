// Account verification at Cashfree, with Secure ID: another product at the same address, with its own keys.
import { RefusedError, UnavailableError } from "../../platform/providers/errors.ts";
import { toJson } from "../../platform/json.ts";
import type { AccountCheck, AccountQuestion } from "../rails/rail.ts";
import { CHECK_UNDER_WAY, NO_SUCH_ACCOUNT, VALID_ACCOUNT } from "./cashfree-codes.ts";
import type { Sign } from "./cashfree-keys.ts";
import { type ProviderAccess } from "./connector.ts";
import { describe, plainText, ProviderClient, textOf } from "../../platform/providers/provider-client.ts";

const NAME_MAX_LENGTH = 100;
const MISSING =
  "Cashfree verifies accounts with its product Secure ID, and this account has no keys for it: add verify_key_id and its secret, with `nodal provider set` or on the Payout accounts page.";

export class CashfreeVerification {
  /** `null` without keys of Secure ID. */
  readonly #client: ProviderClient | null;

  constructor({ verification: keys, baseUrl, timeoutMs }: ProviderAccess, sign: Sign) {
    const headers = (id: string, secret: string) => ({ "x-client-id": id, "x-client-secret": secret });
    this.#client =
      keys &&
      new ProviderClient(
        `${baseUrl}/verification`,
        () => ({ ...headers(keys.id, keys.secret), "x-api-version": "2024-01-01", ...sign(keys.id) }),
        timeoutMs,
      );
  }

  /** Asks the bank who owns an account, or for the answer to an earlier question. @throws as `Connector.verifyAccount` */
  async ask({ payee, mobile, reference }: AccountQuestion, signal: AbortSignal): Promise<AccountCheck> {
    if (!this.#client) throw new UnavailableError(MISSING);
    const digits = mobile.replaceAll(/[^0-9]/g, "");
    const fields = {
      bank_account: payee.accountNumber,
      ifsc: payee.ifsc,
      name: plainText(payee.name, NAME_MAX_LENGTH),
      ...(digits.length >= 8 && digits.length <= 13 ? { phone: digits } : {}),
    };
    const { status, body } = await this.#client.call(
      reference === null
        ? { method: "POST", path: "/bank-account/sync", body: toJson(fields), signal }
        : { method: "GET", path: "/bank-account", query: { reference_id: reference }, signal },
    );
    if (status >= 300) throw new RefusedError(describe(body));
    const [found, code] = [textOf(body, "account_status"), textOf(body, "account_status_code")];
    if (found === VALID_ACCOUNT) {
      const [nameAtBank, branch, utr] = ["name_at_bank", "branch", "utr"].map((name) => textOf(body, name));
      return { status: "valid", nameAtBank: nameAtBank!, branch: branch!, utr: utr! };
    }
    if (NO_SUCH_ACCOUNT.has(code)) return { status: "invalid", reason: code };
    const number = textOf(body, "reference_id");
    if (CHECK_UNDER_WAY.has(found) && number !== "") return { status: "pending", reference: number };
    throw new Error(`The bank gave no answer about this account: ${code || found}`);
  }
}
