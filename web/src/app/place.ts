// Addresses of the dashboard: an operator's view of one merchant is below /m/<merchant id>.
import { MERCHANT_PREFIX } from "../../../src/api/sections.ts";

const SIGN_IN_MERCHANT = "nodal-sign-in-merchant";
const SIGN_IN_EMAIL = "nodal-sign-in-email";
const PREFIX = new RegExp(`^/${MERCHANT_PREFIX}/([0-9]+)(?=/|$)`);

/** The merchant that an operator is viewing; `null` for users on their own pages. */
export function merchantInAddress(): string | null {
  return PREFIX.exec(location.pathname)?.[1] ?? null;
}

/** The prefix of all page addresses; `/` for none. */
export function basePath(): string {
  return PREFIX.exec(location.pathname)?.[0] ?? "/";
}

/** The address of an operator's view of a merchant. The browser reloads for it, since it is another account's dashboard. */
export function addressOfMerchant(merchantId: string): string {
  return `/${MERCHANT_PREFIX}/${merchantId}`;
}

/** The address of sign-in, which then leads to the current page, or to the first one (`/`). */
export function signInAddress(next = `${location.pathname}${location.search}`): string {
  const merchant = localStorage.getItem(SIGN_IN_MERCHANT);
  const search = { ...(next === "/" ? {} : { next }), ...(merchant === null ? {} : { merchant }) };
  const text = new URLSearchParams(search).toString();
  return text === "" ? "/sign-in" : `/sign-in?${text}`;
}

/** Remembers to which merchant this browser has signed in by its link, so that it finds its way back there. */
export function keepSignInMerchant(merchant: string | null): void {
  if (merchant === null) localStorage.removeItem(SIGN_IN_MERCHANT);
  else localStorage.setItem(SIGN_IN_MERCHANT, merchant);
}

/** The sign-in of a merchant. */
export function signInAddressOf(merchant: string): string {
  return `/sign-in?merchant=${merchant}`;
}

/** Fills the next sign-in of this tab with an e-mail address: the user's own, on the way to another of their logins. */
export function offerEmail(email: string): void {
  sessionStorage.setItem(SIGN_IN_EMAIL, email);
}

/** The offered address; "" for none. */
export function offeredEmail(): string {
  return sessionStorage.getItem(SIGN_IN_EMAIL) ?? "";
}
