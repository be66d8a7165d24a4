// The payout providers: one entry each, from the connector's own file. Nothing else knows which there are.
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

/** What a provider asks for. */
export function credentialsOf(provider: Provider): readonly Credential[] {
  return CONNECTORS[provider].credentials;
}

/** What all providers together ask for, each property once. */
export const ALL_CREDENTIALS: readonly Credential[] = PROVIDERS.flatMap(credentialsOf).filter(
  ({ property }, place, all) => all.findIndex((other) => other.property === property) === place,
);

/** The providers that ask for a credential, by their labels. */
export function askersOf(property: CredentialProperty): string {
  const asking = PROVIDERS.filter((provider) => credentialsOf(provider).some((each) => each.property === property));
  return asking.map((provider) => CONNECTORS[provider].label).join(" or ");
}
