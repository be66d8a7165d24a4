// Logins that a live merchant takes over from its sandbox.
import { auditValues } from "../../ledger/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { validationError } from "../../platform/errors.ts";
import type { MerchantKey } from "../merchant.ts";
import { auditedLogin, recordLogin } from "./login-events.ts";
import { copyCredentials, listLogins } from "./login-store.ts";
import type { Login } from "./login.ts";
import { isActiveOwner } from "./manage-users.ts";
import { takeEmail } from "./sign-in-store.ts";

/** The merchant's enabled Owners, oldest first. */
export async function listOwners(db: Queryable, merchant: MerchantKey): Promise<Login[]> {
  return (await listLogins(db, merchant, "user")).filter(isActiveOwner);
}

/**
 * The chosen ones of a merchant's enabled Owners, each once.
 * @throws NodalError `validation_failed` for anybody else
 */
export function chooseOwners(owners: readonly Login[], chosen: readonly bigint[]): Login[] {
  const wrong = chosen.filter((id) => !owners.some(({ loginId }) => loginId === id));
  if (wrong.length === 0) return owners.filter(({ loginId }) => chosen.includes(loginId));
  const problem = `must be enabled Owners of the merchant: ${wrong.join(", ")} are not.`;
  throw validationError([{ field: "logins", code: "not_allowed", problem }]);
}

/**
 * Gives a new merchant logins with the same address, password and second factor, which sign in there by its link only. Sessions and
 * recovery codes are not copied. Returns the new logins.
 */
export async function copyLogins(
  connection: Connection,
  logins: readonly Login[],
  { bucket, merchantId }: MerchantKey,
  ids: IdSource,
): Promise<Login[]> {
  const copies: Login[] = [];
  for (const login of logins) {
    const copy = { ...login, bucket, merchantId, loginId: await ids.next() };
    if (!(await takeEmail(connection, copy.email, copy, false))) throw new Error("two logins have one address");
    await copyCredentials(connection, login, copy);
    await recordLogin(connection, copy, "created", { after: auditValues(auditedLogin(copy)) });
    copies.push(copy);
  }
  return copies;
}
