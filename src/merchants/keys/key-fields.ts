// The fields of an access key's terms, in the dashboard and the command line.
import { fail, requiredField } from "../../platform/http/field.ts";
import {
  date,
  ifSent,
  list,
  oneOf,
  optional,
  optionalText,
  type Decoded,
  type Field,
} from "../../platform/http/fields.ts";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { formatTimestamp, type WriteInstant } from "../../platform/time.ts";
import type { Merchant } from "../merchant.ts";
import { KEY_SCOPES, OPERATOR_KEY_SCOPES, type Permission } from "../users/permission.ts";
import type { AccessKey } from "./key-store.ts";
import { ANY_USE, hasExpired, readAddressRange, type KeyTerms } from "./key-terms.ts";

const NAME_LENGTH = 60;
/** How many ranges a key can have. */
export const MAX_ADDRESSES = 20;
/** Longer than any address with its prefix. */
const ADDRESS_LENGTH = 50;

/** An address or CIDR range. One that covers every address is refused: a key without ranges works from anywhere. */
export function addressRange(): Field<string> {
  const hint = "an IP address or a CIDR range that is not every address, such as 203.0.113.7 or 203.0.113.0/24";
  return requiredField({ type: "string", maxLength: ADDRESS_LENGTH }, hint, (value, path, errors) => {
    const range = typeof value === "string" ? readAddressRange(value.trim()) : null;
    if (range === null) fail(errors, path, "invalid", `must be ${hint}.`);
    return range ?? "";
  });
}

const termFields = {
  name: optionalText(NAME_LENGTH),
  expires_on: optional(date()),
  allowed_addresses: ifSent(list(addressRange(), MAX_ADDRESSES, 0)),
};

/**
 * The fields of a merchant's new key. All are optional: without them a key has all scopes of /api/v1 to /api/v3, for ever and from
 * anywhere.
 */
export const keyFields = { ...termFields, scopes: ifSent(list(oneOf(KEY_SCOPES), KEY_SCOPES.length)) };

type Sent = { readonly [Name in keyof typeof termFields]: Decoded<(typeof termFields)[Name]> } & {
  readonly scopes?: readonly Permission[] | undefined;
};

/** In the order in which pages and lists show them. */
const ORDER: readonly Permission[] = [...new Set<Permission>([...KEY_SCOPES, ...OPERATOR_KEY_SCOPES])];

/**
 * Reads terms from a request. `expires_on` is the last day on which the key works, in the merchant's time zone.
 * @throws NodalError `validation_failed` for a day in the past
 */
export function readKeyTerms({ timeZone }: Pick<Merchant, "timeZone">, sent: Sent): KeyTerms {
  const errors: FieldError[] = [];
  if (sent.expires_on && Temporal.PlainDate.compare(sent.expires_on, Temporal.Now.plainDateISO(timeZone)) < 0) {
    fail(errors, "expires_on", "invalid", "must not be in the past: give the last day on which the key is to work.");
  }
  if (errors.length > 0) throw validationError(errors);
  return {
    name: sent.name ?? "",
    scopes: sent.scopes ? ORDER.filter((scope) => sent.scopes!.includes(scope)) : ANY_USE.scopes,
    expiresAt: sent.expires_on?.add({ days: 1 }).toZonedDateTime(timeZone).toInstant() ?? null,
    addresses: [...new Set(sent.allowed_addresses ?? [])],
  };
}

/** The visible parts of a key: never its secret. `write` formats times. */
export function describeKey(key: AccessKey, timeZone: string, write: WriteInstant = formatTimestamp) {
  return {
    access_key_id: key.accessKeyId,
    name: key.name,
    scopes: key.scopes,
    allowed_addresses: key.addresses,
    expires_on: key.expiresAt?.toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 }).toString() ?? null,
    is_expired: hasExpired(key),
    created_at: write(key.createdAt, timeZone),
    last_used_at: write(key.lastUsedAt, timeZone),
    revoked_at: write(key.revokedAt, timeZone),
  };
}
