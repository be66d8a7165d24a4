// Mutants of the ledger's SQL, which no mutation tool knows: one small mistake in a function, constraint or right.
// What belongs here: making them from the database's own catalogue. Running tests on them is for run-sql.ts.
import type { Queryable } from "../../src/platform/database/pool.ts";
import { SQL_TABLES, SQL_VIEWS } from "./groups.ts";

export type SqlMutant = {
  /** The function or table. */
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
  /** What makes a database have the mistake. */
  readonly statement: string;
};

/** Mistakes in a line, each wherever the pattern is found. */
const MISTAKES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/ \* /g, " + "],
  [/ <> /g, " = "],
  [/ = /g, " <> "],
  [/ <= /g, " < "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ and /g, " or "],
  [/ or /g, " and "],
  [/ is not null/g, " is null"],
  [/\bif .* then$/g, "if false then"],
  [/\bif .* then$/g, "if true then"],
  [/ for update of \w+/g, " "],
  [/^ *for update of \w+$/g, ""],
  [/(order by [\w.]+)/g, "$1 desc"],
  [/partition by [\w.[\], ]+?(?= order by)/g, ""],
  [/\bleft join\b/g, "join"],
  [/\b0\b(?!::)/g, "1"],
  [/\b1\b/g, "2"],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/'[a-z_]+'/g, "'mutated'"],
];

/** All mutants of a migrated database. One that PostgreSQL does not take as a view is for the runner to leave out. */
export async function listSqlMutants(owner: Queryable): Promise<SqlMutant[]> {
  return [
    ...(await mutateViews(owner)),
    ...(await dropConstraints(owner)),
    ...SQL_TABLES.filter((table) => table !== "ledger_book" && table !== "ledger_account").map(grantChanges),
  ];
}

async function mutateViews(owner: Queryable): Promise<SqlMutant[]> {
  const { rows } = await owner.query<{ name: string; definition: string }>(
    `select relname as name,
       format('create or replace view %I with (security_invoker = true) as', relname) || chr(10) || pg_get_viewdef(oid) as definition
     from pg_class where relnamespace = 'public'::regnamespace and relname = any ($1) order by relname`,
    [SQL_VIEWS],
  );
  return rows.flatMap(({ name, definition }) => mutateDefinition(name, definition));
}

/** The mutants of a view, from the statement that defines it, whose first line is its head. Comments are left as they are. */
export function mutateDefinition(name: string, definition: string): SqlMutant[] {
  const lines = definition.split("\n");
  return lines.flatMap((line, index) => (index > 0 ? mutateLine(name, lines, index, line) : []));
}

function mutateLine(name: string, lines: readonly string[], index: number, line: string): SqlMutant[] {
  const code = line.split("--", 1)[0]!;
  return MISTAKES.flatMap(([pattern, mistake]) =>
    [...code.matchAll(pattern)].map(({ index: at }) => {
      const replacement = code.slice(0, at) + code.slice(at).replace(new RegExp(pattern.source), mistake);
      const statement = lines.with(index, replacement).join("\n");
      return { file: name, line: line.trim(), replacement: replacement.trim(), statement };
    }),
  );
}

async function dropConstraints(owner: Queryable): Promise<SqlMutant[]> {
  const { rows } = await owner.query<{ table: string; constraint: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as constraint, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where conrelid::regclass::text = any ($1) and contype <> 'n'
     order by 1, 2`,
    [SQL_TABLES],
  );
  return rows.map(({ table, constraint, definition }) => ({
    file: table,
    line: `constraint ${constraint} ${definition}`,
    replacement: "",
    statement: `alter table ${table} drop constraint ${constraint}`,
  }));
}

function grantChanges(table: string): SqlMutant {
  const statement = `grant update, delete on ${table} to nodal_server`;
  return { file: table, line: "the server's role can't change a row", replacement: "it can", statement };
}
