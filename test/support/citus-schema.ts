// What Citus would refuse of a schema, or make slow, found without Citus: in a migrated PostgreSQL. No assertion.
import type { Queryable } from "../../src/platform/database/pool.ts";
import { UNDIVIDED } from "../../src/platform/database/citus/distribute.ts";

const OURS = "n.nspname in ('public', 'simulator')";

const QUESTIONS: readonly string[] = [
  // A key or a unique index can only be kept on one node.
  `select c.relname as table, x.relname || ' is unique without bucket' as what
   from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
   join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and i.indisunique and not exists (
     select from pg_attribute a
     where a.attrelid = c.oid and a.attname = 'bucket' and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1]))`,
  `select c.relname, 'has no primary key'
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and c.relkind in ('r', 'p') and not exists (select from pg_index where indrelid = c.oid and indisprimary)`,
  `select c.relname, k.conname || ' is a foreign key without bucket'
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and k.contype = 'f' and not exists (
     select from pg_attribute a where a.attrelid = c.oid and a.attname = 'bucket' and a.attnum = any (k.conkey))`,
  `select c.relname, k.conname || ' excludes rows'
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and k.contype = 'x'`,
  // It would only fail at the commit.
  `select c.relname, k.conname || ' is deferrable'
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and k.condeferrable`,
  `select c.relname, t.tgname || ' is a trigger'
   from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and not t.tgisinternal`,
  // A worker's own numbers begin at its group times 2^48.
  `select c.relname, a.attname || ' takes its value from a sequence'
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where ${OURS} and c.relkind in ('r', 'p')
     and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%nextval(%')`,
  // Two rows that belong together would be of two kinds of numbers.
  `select c.relname, 'bucket is ' || format_type(a.atttypid, a.atttypmod) || ', not a smallint that is always there'
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and c.relkind in ('r', 'p') and a.attname = 'bucket' and (a.atttypid <> 'smallint'::regtype or not a.attnotnull)`,
];

/** The parts of merchants' tables that Citus could not keep, as `table: part`; and exceptions for tables that need none. */
export async function findAgainstCitus(owner: Queryable): Promise<string[]> {
  const found: string[] = [];
  for (const question of QUESTIONS) {
    const { rows } = await owner.query<{ table: string; what: string }>(
      `select * from (${question}) as found ("table", what) order by 1, 2`,
    );
    found.push(...rows.filter(({ table }) => !(table in UNDIVIDED)).map(({ table, what }) => `${table}: ${what}`));
  }
  const { rows } = await owner.query<{ name: string }>(
    `select unnest($1::text[]) as name except select relname from pg_class where relkind in ('r', 'p') order by 1`,
    [Object.keys(UNDIVIDED)],
  );
  return [...found, ...rows.map(({ name }) => `${name}: is named as undivided, and is no table`)];
}
