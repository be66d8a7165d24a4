// What the OpenAPI document is told of a route, beside its fields.
import type { Permission, PersonalAct } from "../merchants/index.ts";

export type PublishedRoute = {
  readonly summary?: string;
  /** Of several, any. */
  readonly permission?: Permission | readonly Permission[];
  /** Set if no access key can call it. */
  readonly personal?: PersonalAct;
  readonly takesFile?: true;
  /** Whether operators reach it below /merchants/:merchant_id too. */
  readonly isOfMerchant?: true;
};

/** A route's summary, and the scopes with which a key may call it, as its security schemes' roles. */
export function published({ summary = "", permission = [], personal, takesFile, isOfMerchant }: PublishedRoute) {
  const scopes = typeof permission === "string" ? [permission] : permission;
  const security = ["bearerAuth", "basicAuth"].flatMap((scheme) =>
    scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] })),
  );
  const hints = {
    "x-takes-file": takesFile ?? false,
    "x-of-merchant": isOfMerchant ?? false,
    "x-personal": personal !== undefined,
  };
  return { summary, security, ...hints };
}
