// The keys of an account at Cashfree: checks them, reads the account's balance, and signs calls from unlisted addresses.
import { NotSentError } from "../../platform/providers/errors.ts";
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { parsePaise } from "../../platform/money.ts";
import {
  addressRefused,
  describe,
  fieldsOf,
  textOf,
  type ProviderClient,
  type ProviderFields,
} from "../../platform/providers/provider-client.ts";

export type Sign = (clientId: string) => Readonly<Record<string, string>>;

/**
 * Makes the header that identifies the caller if the server's address is not listed at Cashfree: client id and time, encrypted
 * with Cashfree's public key (docs/providers/cashfree.md#limits).
 * @param signingKey PEM; `null` for a listed address
 */
export function signatureMaker(signingKey: string | null): Sign {
  if (signingKey === null) return () => ({});
  const key = { key: createPublicKey(signingKey), padding: constants.RSA_PKCS1_OAEP_PADDING };
  return (clientId) => {
    const seconds = Math.floor(Temporal.Now.instant().epochMilliseconds / 1000);
    return { "x-cf-signature": publicEncrypt(key, Buffer.from(`${clientId}.${seconds}`)).toString("base64") };
  };
}

export class CashfreeKeys {
  readonly #client: ProviderClient;
  readonly #fundSource: string | null;

  constructor(client: ProviderClient, fundSource: string | null) {
    this.#client = client;
    this.#fundSource = fundSource;
  }

  /**
   * Checks the keys with a call that has no effect.
   * @returns the balance of the account or of its fund source, in paise; `null` if Cashfree does not give it
   * @throws as `Connector.check`
   */
  async check(signal: AbortSignal): Promise<{ readonly balancePaise: bigint | null }> {
    const { status, body } = await this.#client.call({ method: "POST", path: "/v1/authorize", body: "{}", signal });
    if (status !== 200 || textOf(body, "status") !== "SUCCESS") throw refusalOf(status, body);
    const token = textOf(fieldsOf(body, "data"), "token");
    return { balancePaise: token === "" ? null : await this.#balance(token, signal).catch(() => null) };
  }

  async #balance(token: string, signal: AbortSignal): Promise<bigint | null> {
    const { body } = await this.#client.call({
      method: "GET",
      path: this.#fundSource === null ? "/v1/getBalance" : "/v1.2/getBalance",
      query: this.#fundSource === null ? {} : { paymentInstrumentId: this.#fundSource },
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    return parsePaise(fieldsOf(body, "data").availableBalance);
  }
}

/** V1 also reports errors in successful answers. */
function refusalOf(status: number, body: ProviderFields): Error {
  const said = textOf(body, "message") || describe(body);
  switch (textOf(body, "subCode")) {
    case "401":
      return new NotSentError("unauthorized", `Cashfree refuses these credentials: ${said}`);
    case "403":
      return addressRefused("Cashfree", said);
    default:
      return new Error(`Cashfree answered ${status}: ${said}`);
  }
}
