// Who the actors of events and approvals are: people by the addresses that they sign in with, not by their numbers.
// What belongs here: looking the names up. What an actor is called besides is for the pages to say.
import { findLogins, OPERATORS, type Merchant } from "../merchants/index.ts";
import type { Pool, Queryable } from "../platform/database/pool.ts";

/** Names of actors, by the actor: for people who can still be found. */
export type ActorNames = ReadonlyMap<string, string>;

/** Finds the names of actors. `pool` sees operators, whom a merchant's `db` does not show; they go by their names. */
export async function readActorNames(
  { db, pool }: { readonly db: Queryable; readonly pool: Pool },
  merchant: Merchant,
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
