// The list of payout providers: one entry each, from the connector's own file. There is no other list.
import { CASHFREE } from "./cashfree-account.ts";
import type { ConnectorDefinition } from "./connector.ts";
import type { Credential, CredentialProperty } from "./credentials.ts";
import { RAZORPAYX } from "./razorpayx-account.ts";

export const PROVIDERS = ["cashfree", "razorpayx"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const CONNECTORS: Readonly<Record<Provider, ConnectorDefinition>> = {
  cashfree: CASHFREE,
  razorpayx: RAZORPAYX,
};

/** The credentials that a provider needs. */
export function credentialsOf(provider: Provider): readonly Credential[] {
  return CONNECTORS[provider].credentials;
}

/** The credentials of all providers, each property once. */
export const ALL_CREDENTIALS: readonly Credential[] = PROVIDERS.flatMap(credentialsOf).filter(
  ({ property }, place, all) => all.findIndex((other) => other.property === property) === place,
);

/** The labels of the providers that need a credential. */
export function askersOf(property: CredentialProperty): string {
  const asking = PROVIDERS.filter((provider) => credentialsOf(provider).some((each) => each.property === property));
  return asking.map((provider) => CONNECTORS[provider].label).join(" or ");
}
