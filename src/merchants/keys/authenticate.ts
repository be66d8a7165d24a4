// Use case: authenticate the caller. Keys at the token endpoint, tokens everywhere else, and the limits on both. Keys are looked up
// in batches and cached briefly, since every request needs one: a revocation or suspension reaches this process within a second,
// the cache's lifetime.
import { LRUCache } from "lru-cache";
import { lookUpOnNodes } from "../../platform/database/citus/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { Directory } from "../../platform/directory.ts";
import { NodalError } from "../../platform/errors.ts";
import { networkOf } from "../../platform/http/client-address.ts";
import { actorOf, type Origin } from "../../platform/origin.ts";
import { rateLimited, type RateDecision, type RateWindow } from "../../platform/rates/rate-window.ts";
import { issueToken, parseAccessKeyId, readToken, secretMatches, type AccessKeyName } from "./access-key.ts";
import type { Merchant } from "../merchant.ts";
import { findKeyHolders, noteKeyUse, type AccessKey, type KeyHolder } from "./key-store.ts";
import { checkTerms } from "./key-terms.ts";
import { suspended } from "../users/login.ts";
import { MOVE_MONEY, type Permission } from "../users/permission.ts";

const KEYS_NOTED = 100_000;
const NOTED_EVERY_MS = 60 * 60_000;

/** Finds the key and its merchant, at most 1 s old; `null` if there is no such key. */
export class KeyDirectory extends Directory<AccessKeyName, KeyHolder | null> {
  readonly #database: Pool;
  /** Keys whose use was saved in the last hour. */
  readonly #noted = new LRUCache<string, true>({ max: KEYS_NOTED, ttl: NOTED_EVERY_MS });

  constructor(database: Pool) {
    super({
      ...lookUpOnNodes(database, findKeyHolders),
      keyOf: ({ accessKeyId }) => accessKeyId,
    });
    this.#database = database;
  }

  /** Saves once an hour that a key is in use. Requests don't wait for it, or fail with it. */
  noteUse({ bucket, merchantId, accessKeyId }: AccessKeyName): void {
    if (this.#noted.has(accessKeyId)) return;
    this.#noted.set(accessKeyId, true);
    noteKeyUse(this.#database, { bucket, merchantId, accessKeyId }).catch(() => this.#noted.delete(accessKeyId));
  }
}

const TOKENS_REMEMBERED = 10_000;

/** A program that calls with an access key, the key's scopes, and the rest of its rate limit. */
export type Program = {
  readonly key: AccessKey;
  /** `null` for an operator's key. */
  readonly merchant: Merchant | null;
  readonly origin: Origin;
  readonly scopes: readonly Permission[];
  readonly rate: RateDecision;
};

/** A program with a merchant's key. */
export type Caller = Program & { readonly merchant: Merchant };

/** Keys as a caller sent them, of any type; `undefined` if missing. */
export type GivenKeys = { readonly accessKeyId: unknown; readonly secret: unknown };

export type AuthenticatorOptions = {
  readonly directory: KeyDirectory;
  readonly installationSecret: Buffer;
  readonly rateLimitPerMinute: number;
  /** The limit of an operator's key, which works for all merchants. */
  readonly operatorRatePerMinute: number;
  /** Counts per minute. */
  readonly rates: RateWindow;
};

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** Verified tokens, with their content. */
  readonly #tokens = new LRUCache<string, { name: AccessKeyName; address: string; expiresAtMs: number }>({
    max: TOKENS_REMEMBERED,
  });

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Exchanges keys for a bearer token bound to the caller's address.
   * @throws NodalError `invalid_keys`, `access_denied` or `rate_limited`
   */
  async issueToken(keys: GivenKeys, address: string): Promise<{ token: string; caller: Caller }> {
    const holder = await this.#holderOfKeys(keys, address);
    const caller = requireMerchantKey(await this.#admit(holder, address));
    const { accessKeyId } = holder.key;
    return { token: issueToken(this.#options.installationSecret, accessKeyId, address, Date.now()), caller };
  }

  /**
   * Accepts a bearer token. `admitsSuspended`: also that of a suspended merchant, whose route decides what it may still do.
   * @throws NodalError `invalid_token`, `expired_token`, `token_ip_mismatch`, `access_denied` or `rate_limited`
   */
  async acceptToken(token: string, address: string, admitsSuspended = false): Promise<Caller> {
    const name = this.#readToken(token, address);
    const holder = await this.#options.directory.find(name);
    if (!holder) {
      throw new NodalError("invalid_token", "This bearer token is not valid: request a new one from POST /api/token.");
    }
    return requireMerchantKey(await this.#admit(holder, address, admitsSuspended));
  }

  /**
   * Accepts the keys that a request itself carries.
   * @throws NodalError `invalid_keys`, `access_denied` or `rate_limited`
   */
  async acceptKeys(keys: GivenKeys, address: string): Promise<Caller> {
    return requireMerchantKey(await this.#admit(await this.#holderOfKeys(keys, address), address));
  }

  /**
   * Accepts the bearer token or the Basic credentials of a header Authorization, also an operator's key. `null` if the header has
   * neither: Basic credentials of another kind may be meant for a proxy.
   * @throws NodalError as `acceptToken` and `acceptKeys`
   */
  async acceptHeader(authorization: string | undefined, address: string): Promise<Program | null> {
    const keys = basicKeys(authorization);
    if (keys) return this.#admit(await this.#holderOfKeys(keys, address), address);
    const token = bearerToken(authorization);
    return token === null ? null : this.acceptToken(token, address);
  }

  /** Whether a wrong key from the address would still be reported as such, and not as `rate_limited`. */
  async mayGuess(address: string): Promise<boolean> {
    return (await this.#options.rates.look(guessesOf(address), this.#options.rateLimitPerMinute)).allowed;
  }

  /** A client sends the same token with every request: its signature is checked once, its age each time. */
  #readToken(token: string, address: string): AccessKeyName {
    const known = this.#tokens.get(token);
    const nowMs = Date.now();
    if (known && known.address === address && known.expiresAtMs > nowMs) return known.name;
    const name = readToken(this.#options.installationSecret, token, address, nowMs);
    this.#tokens.set(token, { name, address, expiresAtMs: Number(token.split(".")[1]) });
    return name;
  }

  /** Wrong keys count against the caller's network, so that nobody can lock a merchant out by guessing. */
  async #holderOfKeys(keys: GivenKeys, address: string): Promise<KeyHolder> {
    const { accessKeyId, secret } = keys;
    const name = typeof accessKeyId === "string" ? parseAccessKeyId(accessKeyId) : null;
    const holder = name && (await this.#options.directory.find(name));
    if (
      holder &&
      typeof secret === "string" &&
      secretMatches(this.#options.installationSecret, holder.key.accessKeyId, secret, holder.key.secretHash)
    ) {
      return holder;
    }
    const rate = await this.#options.rates.take(guessesOf(address), this.#options.rateLimitPerMinute);
    if (!rate.allowed) throw rateLimited(rate);
    throw new NodalError("invalid_keys", "Invalid Keys");
  }

  /**
   * Admits a caller whose key works, within its merchant's limit: docs/rules/access.md#access-keys,
   * docs/rules/access.md#rate-limit.
   */
  async #admit({ key, isProved, merchant }: KeyHolder, address: string, admitsSuspended = false): Promise<Program> {
    if (!isProved) {
      throw new NodalError(
        "access_denied",
        "The database was changed since this access key was created: revoke it, and run `nodal verify`.",
      );
    }
    checkTerms(key, address);
    if (merchant?.status === "suspended" && (!admitsSuspended || merchant.isChanged)) throw suspended(merchant);
    const rate = await this.#count(key, merchant);
    if (!rate.allowed) throw rateLimited(rate);
    this.#options.directory.noteUse(key);
    const mayMoveMoney = key.scopes.includes(MOVE_MONEY);
    const origin = { actor: actorOf("key", key.accessKeyId), address: address || null, mayMoveMoney };
    return { key, merchant, origin, scopes: key.scopes, rate };
  }

  #count({ accessKeyId }: AccessKey, merchant: Merchant | null): Promise<RateDecision> {
    const { rates, rateLimitPerMinute, operatorRatePerMinute } = this.#options;
    if (!merchant) return rates.take(`api operator ${accessKeyId}`, operatorRatePerMinute);
    return rates.take(`api merchant ${merchant.merchantId}`, merchant.rateLimitPerMinute ?? rateLimitPerMinute);
  }
}

/** The keys of `Authorization: Basic`; `null` if there are none: the header may be meant for a proxy. */
export function basicKeys(header: string | undefined): GivenKeys | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "")?.[1] ?? "";
  const [, accessKeyId, secret] = /^(nk_[^:]*):(.*)$/.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return accessKeyId === undefined ? null : { accessKeyId, secret };
}

/** The token of `Authorization: Bearer`; `null` if there is none. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? "")?.[1] ?? null;
}

/** @throws NodalError `access_denied` for an operator's key, which has no merchant */
function requireMerchantKey({ merchant, ...program }: Program): Caller {
  if (merchant) return { ...program, merchant };
  throw new NodalError(
    "access_denied",
    "This is an operator's access key. Send it as Authorization: Basic to /api/v4, or use an access key of the merchant here.",
  );
}

function guessesOf(address: string): string {
  return `api address ${networkOf(address)}`;
}
