// One rule: whoever may not move money may not make it leave by another way either.
// What belongs here: the refusal. Every use case that makes money leave, or says where it goes by itself, begins with it.
import type { Connection } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { mayMoveMoney } from "./money-mover-store.ts";
import { MOVE_MONEY } from "./permission.ts";

/**
 * Refuses whoever acts in this transaction and may not move money: somebody who is signed in and has not that permission,
 * or, where money is real, no second factor. Programs with an access key, commands and schedules may.
 * @throws NodalError `access_denied`
 */
export async function requireMoneyMover(connection: Connection): Promise<void> {
  if (await mayMoveMoney(connection)) return;
  throw new NodalError(
    "access_denied",
    `Your role does not allow this: it decides where money goes, so it needs the permission ${MOVE_MONEY} too.`,
  );
}
