// Where in the dashboard an address is: an operator's view of one merchant lies below /m/<merchant id>.
// What belongs here: reading the address bar. Changing it is the router's work.
import { MERCHANT_PREFIX } from "../../../src/dashboard/sections.ts";

const PREFIX = new RegExp(`^/${MERCHANT_PREFIX}/([0-9]+)(?=/|$)`);

/** The merchant whose pages an operator looks at; `null` for everybody on pages of their own. */
export function merchantInAddress(): string | null {
  return PREFIX.exec(location.pathname)?.[1] ?? null;
}

/** What the addresses of all pages begin with; `/` where nothing. */
export function basePath(): string {
  return PREFIX.exec(location.pathname)?.[0] ?? "/";
}

/** Where an operator sees a merchant. The browser loads it anew: it is another account's dashboard. */
export function addressOfMerchant(merchantId: string): string {
  return `/${MERCHANT_PREFIX}/${merchantId}`;
}

/** Sign-in, and from there back to the page that the browser is at. */
export function signInAddress(): string {
  const here = `${location.pathname}${location.search}`;
  return here === "/" ? "/sign-in" : `/sign-in?${new URLSearchParams({ next: here }).toString()}`;
}
