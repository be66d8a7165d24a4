// The scopes, expiry and addresses of an access key: docs/rules/access.md#scopes. The terms of a key never change; a proof binds
// them to its row, so that nobody can widen them with SQL.
import ipaddr from "ipaddr.js";
import { isSame } from "../../platform/bytes.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import { OF_KEYS, type Permission } from "../users/permission.ts";
import type { AccessKeyName } from "./access-key.ts";

/** The terms of a key. */
export type KeyTerms = {
  /** Its name; may be empty. */
  readonly name: string;
  readonly scopes: readonly Permission[];
  /** `null` for a key that never expires. */
  readonly expiresAt: Temporal.Instant | null;
  /** The addresses or CIDR ranges from which it works; any if empty. */
  readonly addresses: readonly string[];
};

/** A key with all scopes of /api/v1 to /api/v3, for ever and from anywhere. */
export const ANY_USE: KeyTerms = { name: "", scopes: OF_KEYS, expiresAt: null, addresses: [] };

/** The parts of a key that its proof covers. */
export type ProvedKey = AccessKeyName &
  KeyTerms & {
    /** Its creator, as named in the journal; if a key created it, that key's creator. */
    readonly madeBy: string;
    readonly revokedAt: Temporal.Instant | null;
  };

/** The proof of a key's terms, and of whether it is revoked: a keyed hash, whose key is not in the database. */
export function proveKey(secrets: Secrets, key: ProvedKey): Buffer {
  return secrets.mac("access_key.terms", [
    ...[key.bucket, key.merchantId, key.accessKeyId].map(String),
    key.scopes.join(" "),
    key.addresses.join(" "),
    key.expiresAt?.toString() ?? "",
    key.madeBy,
    key.revokedAt === null ? "" : "revoked",
  ]);
}

/** Whether the server wrote these terms. */
export function isProvedKey(secrets: Secrets, key: ProvedKey & { readonly proof: Buffer }): boolean {
  return isSame(proveKey(secrets, key), key.proof);
}

/** Whether an address is allowed for a key. `""`, an unknown address, is not. */
export function isAllowedFrom({ addresses }: Pick<KeyTerms, "addresses">, address: string): boolean {
  if (addresses.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return addresses.some((allowed) => isIn(caller, allowed));
}

/**
 * The stored form of an address or CIDR range: `203.0.113.7/32`, `2001:db8::/48`. `null` if the text is neither, or covers every
 * address.
 */
export function readAddressRange(text: string): string | null {
  if (text.includes("%")) return null;
  const isRange = ipaddr.isValidCIDR(text);
  if (!isRange && !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return null;
  const [given, bits] = isRange ? ipaddr.parseCIDR(text) : ([ipaddr.parse(text), null] as const);
  const address = ipaddr.process(given.toString());
  // An IPv4 address written as IPv6 has a prefix of 96 bits.
  const shift = given.kind() === address.kind() ? 0 : 96;
  const length = bits === null ? address.toByteArray().length * 8 : bits - shift;
  if (length <= 0) return null;
  return `${networkAddress(address, length)}/${length}`;
}

function networkAddress(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  const range = `${address.toString()}/${length}`;
  const kind = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return kind.networkAddressFromCIDR(range).toString();
}

/** Whether a key has expired. */
export function hasExpired({ expiresAt }: Pick<KeyTerms, "expiresAt">): boolean {
  return expiresAt !== null && Temporal.Instant.compare(expiresAt, Temporal.Now.instant()) <= 0;
}

/**
 * Refuses a key that has expired, or is used from another address.
 * @throws NodalError `access_denied`
 */
export function checkTerms(key: ProvedKey, address: string): void {
  if (key.revokedAt) {
    throw new NodalError("access_denied", "This access key has been revoked: use another key of the merchant.");
  }
  if (hasExpired(key)) {
    throw new NodalError("access_denied", "This access key has expired: create another key for the merchant.");
  }
  if (isAllowedFrom(key, address)) return;
  throw new NodalError(
    "access_denied",
    `This access key can't be used from ${address || "an unknown address"}: call from one of its allowed addresses, or create a key that allows this one.`,
  );
}

/**
 * Refuses terms of a new key that exceed the expiry or the addresses of the key that creates it.
 * @throws NodalError `validation_failed`
 */
export function checkWithin(
  maker: Pick<KeyTerms, "expiresAt" | "addresses">,
  { expiresAt, addresses }: Pick<KeyTerms, "expiresAt" | "addresses">,
): void {
  const errors: FieldError[] = [];
  if (maker.expiresAt && (expiresAt === null || Temporal.Instant.compare(expiresAt, maker.expiresAt) > 0)) {
    const problem = "must not be after the last day of the access key that creates this one.";
    errors.push({ field: "expires_on", code: "not_allowed", problem });
  }
  const isOpen = maker.addresses.length > 0 && addresses.length === 0;
  if (isOpen || !addresses.every((range) => isRangeWithin(range, maker.addresses))) {
    const problem = `must be within the addresses of the access key that creates this one: ${maker.addresses.join(", ")}.`;
    errors.push({ field: "allowed_addresses", code: "not_allowed", problem });
  }
  if (errors.length > 0) throw validationError(errors);
}

/** Whether every address of a range is in one of `outer`; always true if `outer` is empty. */
function isRangeWithin(range: string, outer: readonly string[]): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  return outer.length === 0 || outer.some((each) => ipaddr.parseCIDR(each)[1] <= bits && isIn(network, each));
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match(network, bits);
}

/**
 * Refuses a key that lacks a scope.
 * @throws NodalError `access_denied`
 */
export function requireScopes(scopes: readonly Permission[], required: readonly Permission[]): void {
  const lacking = required.filter((scope) => !scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new NodalError(
    "access_denied",
    `This access key can't do this: it lacks the scope ${lacking.join(" and ")}. Create a key that has it.`,
  );
}
