// The caller's address in one normal form, so that it can be compared and counted.
import { isIPv4 } from "node:net";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/**
 * The caller's address, behind trusted proxies. An IPv4-mapped IPv6 address becomes the IPv4 address, and IPv6
 * addresses are shortened. `""` if the caller has already disconnected.
 */
export function clientAddress(request: FastifyRequest): string {
  return normaliseAddress(request.ip) ?? normaliseAddress(request.socket.remoteAddress) ?? "";
}

/** The normal form of an address, without a port; `null` if the text is no address. */
export function normaliseAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isIPv4(text)) return text;
  // Some proxies write the port into X-Forwarded-For: 192.0.2.1:50000, [2001:db8::1]:50000.
  const bare = /^\[(.+)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  return ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare).toString() : null;
}

/** The network that one client usually controls: the address itself, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}
