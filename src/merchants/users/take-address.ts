// Addresses that sign in, as merchants take them: each is unique in the installation, so a refusal tells that somebody
// else has it. What belongs here: how often a merchant may be told so. The directory itself is in sign-in-store.ts.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { SlidingWindow } from "../../platform/sliding-window.ts";
import type { MerchantKey } from "../merchant.ts";
import type { LoginKey, LoginKind } from "./login.ts";
import { isEmailTaken, takeEmail } from "./sign-in-store.ts";

const DAY_MS = 24 * 60 * 60_000;
/** More than a merchant's own mistakes come to, and too few to find out who else is here. */
const REFUSALS_A_DAY = 10;
const refusals = new SlidingWindow(undefined, DAY_MS);

/**
 * Takes an address for somebody. Answers whether it was free.
 * @throws NodalError `rate_limited` after ten refusals of the merchant in 24 hours, whether it is free or not
 */
export async function takeAddress(
  connection: Connection,
  email: string,
  login: LoginKey & { readonly kind: LoginKind },
): Promise<boolean> {
  requireFewRefusals(login);
  const isFree = await takeEmail(connection, email, login);
  if (!isFree) refusals.take(nameOf(login), REFUSALS_A_DAY);
  return isFree;
}

/** Whether somebody has the address, told to a merchant. @throws NodalError as `takeAddress` does */
export async function isAddressTaken(db: Queryable, email: string, merchant: MerchantKey): Promise<boolean> {
  requireFewRefusals(merchant);
  const isTaken = await isEmailTaken(db, email);
  if (isTaken) refusals.take(nameOf(merchant), REFUSALS_A_DAY);
  return isTaken;
}

function requireFewRefusals(merchant: MerchantKey): void {
  const rate = refusals.look(nameOf(merchant), REFUSALS_A_DAY);
  if (rate.allowed) return;
  throw new NodalError(
    "rate_limited",
    "Too many addresses were refused because they sign somebody else in: save this without a login, or try again tomorrow.",
    { rate },
  );
}

function nameOf({ bucket, merchantId }: MerchantKey): string {
  return `${bucket} ${merchantId}`;
}
