// Names of the actors in the audit log and in approvals, if they still exist.
import type { Pool, Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import { findLogins } from "./login-store.ts";
import { OPERATORS } from "./login.ts";

/** Names by actor, for people who still exist. */
export type ActorNames = ReadonlyMap<string, string>;

/** Finds the names of actors. `pool` sees operators, whom a merchant's `db` does not show; they go by their names. */
export async function readActorNames(
  { db, pool }: { readonly db: Queryable; readonly pool: Pool },
  merchant: MerchantKey,
  actors: Iterable<string>,
): Promise<ActorNames> {
  const people = [...new Set(actors)].flatMap((actor) => {
    const [, kind, id] = /^(user|franchise|operator):([0-9]{1,16})$/.exec(actor) ?? [];
    return kind === undefined ? [] : [{ actor, kind, id: BigInt(id!) }];
  });
  const idsOf = (areOperators: boolean): bigint[] =>
    people.filter(({ kind }) => (kind === "operator") === areOperators).map(({ id }) => id);
  const own = idsOf(false);
  const operators = idsOf(true);
  const logins = [
    ...(own.length > 0 ? await findLogins(db, merchant, own) : []),
    ...(operators.length > 0 ? await findLogins(pool, OPERATORS, operators) : []),
  ];
  const named = new Map(
    logins.map(({ kind, loginId, email, name }) => [`${kind}:${loginId}`, kind === "operator" ? name : email]),
  );
  return new Map(people.flatMap(({ actor }) => (named.has(actor) ? [[actor, named.get(actor)!]] : [])));
}

/** The label of an actor who is not a person or no longer exists. */
export function describeActor(actor: string): string {
  if (actor.startsWith("key:")) return "an access key";
  if (actor.startsWith("command:")) return "the command line";
  return actor.startsWith("job:") ? "Nodal" : "a former user";
}
