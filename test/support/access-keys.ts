// Access keys with terms, for tests, and requests to /api/v4 with them. No assertions.
import { issueAccessKey, OPERATORS, requireMerchant, type Permission } from "../../src/merchants/index.ts";
import { ANY_USE, type KeyTerms } from "../../src/merchants/keys/key-terms.ts";
import type { Installation, Keys } from "./installation.ts";
import type { Answer } from "./nodal.ts";

/** Makes a key of a merchant, or an operator's for `null`. */
export async function newKey(
  { pool }: Pick<Installation, "pool">,
  merchantId: string | null,
  terms: Partial<KeyTerms> & { readonly scopes: readonly Permission[] },
): Promise<Keys> {
  const merchant =
    merchantId === null ? { ...OPERATORS, live: false } : await requireMerchant(pool, BigInt(merchantId));
  const issued = await issueAccessKey({ pool, merchant }, null, { ...ANY_USE, ...terms });
  return { access_key_id: issued.accessKeyId, secret_access_key: issued.secret };
}

/** The header Authorization with keys as Basic credentials. */
export function basic({ access_key_id: id, secret_access_key: secret }: Keys): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

/** A program that calls /api/v4 with a key. */
export class Program {
  readonly #installation: Pick<Installation, "send">;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(installation: Pick<Installation, "send">, keys: Keys, headers: Readonly<Record<string, string>> = {}) {
    this.#installation = installation;
    this.#headers = { authorization: basic(keys), ...headers };
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#installation.send(method, `/api/v4${path}`, body, { ...this.#headers });
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.send("POST", path, body);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send("PUT", path, body);
  }
}

/** Status, code and sentence of a refusal of /api/v4. */
export function refusalOf({ status, body }: Answer): { status: number; code: string; message: string } {
  const { code, message } = (body as { error: { code: string; message: string } }).error;
  return { status, code, message };
}
