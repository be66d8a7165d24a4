// The caller's address: one spelling for each address, so that it can be compared and counted.
import { isIPv4 } from "node:net";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/**
 * The caller's address, behind the proxies that the server trusts: an IPv4-mapped IPv6 address is the IPv4 address, an
 * IPv6 address is written in its short form. `""` where the caller has already gone.
 */
export function clientAddress(request: FastifyRequest): string {
  return normaliseAddress(request.ip) ?? normaliseAddress(request.socket.remoteAddress) ?? "";
}

/** One spelling of an address, without a port; `null` where the text is not an address. */
export function normaliseAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isIPv4(text)) return text;
  // Some proxies write the port into X-Forwarded-For: 192.0.2.1:50000, [2001:db8::1]:50000.
  const bare = /^\[(.+)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  return ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare).toString() : null;
}

/** What somebody who has one address usually has all of: the address itself, or the first 64 bits of an IPv6 one. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}
