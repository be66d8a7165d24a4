// A release's database objects in PostgreSQL's catalog, and those that the next release's migration keeps. No assertions.
import type { Queryable } from "../../src/platform/database/pool.ts";

const OWN = "in ('public'::regnamespace, 'simulator'::regnamespace)";
const TABLES = `select * from pg_class where relkind in ('r', 'p', 'v', 'S') and not relispartition and relnamespace ${OWN}`;

/** The objects that a server may use: columns with their types, functions, and the privileges of its roles. */
const OFFERS = `
  with own as (${TABLES})
  select format('column %s.%s %s', own.oid::regclass, attname, format_type(atttypid, atttypmod)) as text
  from own join pg_attribute on attrelid = own.oid where attnum > 0 and not attisdropped and relkind <> 'S'
  union all select format('function %s returning %s', oid::regprocedure, prorettype::regtype)
  from pg_proc where pronamespace ${OWN}
  union all select format('%s on %s for %s', privilege_type, own.oid::regclass, grantee::regrole)
  from own, aclexplode(relacl) where grantee <> 0
  union all select format('%s on %s.%s for %s', privilege_type, own.oid::regclass, attname, grantee::regrole)
  from own join pg_attribute on attrelid = own.oid, aclexplode(attacl) where grantee <> 0
  union all select format('unique %s (%s)', indrelid::regclass, pg_get_indexdef(indexrelid)) from own join pg_index on indrelid = own.oid
  where indisunique`;

/** Required columns of rows that a server writes, by table. */
const DEMANDS = `
  with own as (${TABLES})
  select own.oid::regclass::text as name, format('a value in %s.%s', own.oid::regclass, attname) as text
  from own join pg_attribute on attrelid = own.oid
  where attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = '' and relkind in ('r', 'p')
  union all select own.oid::regclass::text, format('%s on %s', pg_get_constraintdef(pg_constraint.oid), own.oid::regclass)
  from own join pg_constraint on conrelid = own.oid where contype in ('c', 'f', 'u', 'p', 'x')
  union all select own.oid::regclass::text, pg_get_indexdef(indexrelid)
  from own join pg_index on indrelid = own.oid where indisunique`;

export type Contents = {
  readonly offers: ReadonlySet<string>;
  readonly demands: ReadonlyMap<string, ReadonlySet<string>>;
};

export async function readContents(db: Queryable): Promise<Contents> {
  const offers = await db.query<{ text: string }>(OFFERS);
  const demands = await db.query<{ name: string; text: string }>(DEMANDS);
  const byTable = Map.groupBy(demands.rows, ({ name }) => name);
  return {
    offers: new Set(offers.rows.map(({ text }) => text)),
    demands: new Map([...byTable].map(([name, rows]) => [name, new Set(rows.map(({ text }) => text))])),
  };
}

/** What a release that keeps running over a migration would lack or be denied, in words; empty if it can continue. */
export function findBroken(before: Contents, after: Contents): string[] {
  const lacking = [...before.offers].filter((each) => !after.offers.has(each)).map((each) => `gone: ${each}`);
  const asked = [...before.demands].flatMap(([table, known]) =>
    [...(after.demands.get(table) ?? [])].filter((each) => !known.has(each)).map((each) => `asked for: ${each}`),
  );
  return [...lacking, ...asked];
}
