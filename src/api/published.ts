// Facts about a route for the OpenAPI document, besides its fields.
import type { Permission, PersonalAct } from "../merchants/index.ts";

export type PublishedRoute = {
  readonly summary?: string;
  /** Any one of several. */
  readonly permission?: Permission | readonly Permission[];
  /** Set if no access key can call it. */
  readonly personal?: PersonalAct;
  readonly takesFile?: true;
  /** Whether operators reach it below /merchants/:merchant_id too. */
  readonly isOfMerchant?: true;
};

/** The schemes for sending a key. Operators' keys get no token, since tokens belong to a merchant. */
const SCHEMES = { merchant: ["bearerAuth", "basicAuth"], operator: ["basicAuth"] } as const;

/** A route's summary, and the scopes with which a key may call it, as its security schemes' roles. */
export function published(
  { summary = "", permission = [], personal, takesFile, isOfMerchant }: PublishedRoute,
  keys: keyof typeof SCHEMES,
) {
  const scopes = typeof permission === "string" ? [permission] : permission;
  const security = SCHEMES[keys].flatMap((scheme): Record<string, string[]>[] =>
    scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] })),
  );
  const hints = {
    "x-takes-file": takesFile ?? false,
    "x-of-merchant": isOfMerchant ?? false,
    "x-personal": personal !== undefined,
  };
  return { summary, security, ...hints };
}
