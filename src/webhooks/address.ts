// Restricts webhooks to addresses on the public internet, unless the configuration allows others.
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";

const URL_MAX_LENGTH = 2048;
/** The only IPv6 addresses that are assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
const DNS_TIMEOUT_MS = 2000;
const DNS_TRIES = 2;

/** Decides where connections may go. `resolve` returns every address of a name. */
export type AddressGuard = { readonly allowPrivate: boolean; resolve(name: string): Promise<readonly string[]> };

/** An address that webhooks may not go to. */
export class RefusedAddress extends Error {}

/** The guard of this configuration, with the resolver that belongs to it. */
export function createGuard(allowPrivate: boolean): AddressGuard {
  return { allowPrivate, resolve: allowPrivate ? resolveLocally : resolvePublicly };
}

/**
 * The system's resolver knows the names of a private network, but blocks one of the process's few threads while a name server does
 * not answer.
 */
async function resolveLocally(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Merchants choose the names, so a name server that never answers must not delay anybody else. */
async function resolvePublicly(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [v4, v6].flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (found.length === 0 && v4.status === "rejected") throw v4.reason;
  return found;
}

/** Whether an address is on the public internet. An IPv4 address inside an IPv6 one counts as what it is. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** The error of an endpoint's URL, as the rest of a sentence; `null` if it can be used. */
export function problemOf(text: string, allowPrivate: boolean): string | null {
  const form = allowPrivate ? "https:// or http://" : "https://";
  if (text.length > URL_MAX_LENGTH) return `must be at most ${URL_MAX_LENGTH} characters long.`;
  const url = URL.parse(text);
  if (!url || !(url.protocol === "https:" || (allowPrivate && url.protocol === "http:"))) {
    const hint = url?.protocol === "http:" ? " WEBHOOK_ALLOW_PRIVATE=on allows http://, for testing." : "";
    return `must be a URL that begins with ${form}.${hint}`;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not contain a user name or password: the signature identifies the caller.";
  }
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
    return `must name a host on the public internet, and ${host} is not one. WEBHOOK_ALLOW_PRIVATE=on allows it.`;
  }
  return null;
}

/** The host of a URL: a name, or an address without brackets. The parser has normalized decimal, octal and hex forms. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/** @throws RefusedAddress if one of the addresses is not allowed */
export function refusePrivate({ allowPrivate }: AddressGuard, name: string, addresses: readonly string[]): void {
  const refused = allowPrivate ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (refused === undefined) return;
  const said = refused === name ? refused : `${name} resolves to ${refused}, which`;
  throw new RefusedAddress(
    `${said} is not on the public internet: refused. WEBHOOK_ALLOW_PRIVATE=on in the server's configuration allows it.`,
  );
}

/**
 * The look-up function of a connection: it returns exactly the addresses that were checked, so a name that resolves differently a moment
 * later is harmless. It returns all addresses at once, as `autoSelectFamily` needs, and is not called for a host that is an address.
 */
export function guardedLookup(guard: AddressGuard): LookupFunction {
  const resolve = callbackify((name: string) => resolveGuarded(guard, name));
  return (name, _options, callback) => resolve(name, (error, found) => callback(error, found));
}

async function resolveGuarded(guard: AddressGuard, name: string): Promise<{ address: string; family: number }[]> {
  const addresses = await guard.resolve(name);
  // A connection needs at least one.
  if (addresses.length === 0) throw new Error(`${name} has no address`);
  refusePrivate(guard, name, addresses);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
