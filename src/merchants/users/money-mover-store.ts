// SQL that reads what the transaction under way says of who acts in it.
// What belongs here: whether money may leave for them. Where it is said is platform/origin.ts.
import type { Queryable } from "../../platform/database/pool.ts";

/** Whether the one who acts in this transaction may move money. Only people who sign in may not. */
export async function mayMoveMoney(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ may: boolean }>({
    name: "may-move-money",
    text: "select current_setting('nodal.may_move_money', true) is distinct from 'off' as may",
  });
  return rows[0]!.may;
}
