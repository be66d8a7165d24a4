// SQL of marks: what things that entries are about say now, and the marks that they were given when they were sealed.
// What belongs here: reading and writing. Which columns count is in thing-facts.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import {
  readSecretRows,
  SecretsError,
  UnknownDataKeyError,
  type RowPath,
  type Secrets,
} from "../platform/secrets/index.ts";
import type { SealedRange, ThingState } from "./seal.ts";
import { THING_KINDS, type ThingKind } from "./thing-facts.ts";

type StateRow = {
  bucket: number;
  merchant_id: bigint;
  thing_id: bigint;
  entry_no: bigint | null;
  digest: Buffer;
  secrets: string[];
};

/** What the columns `of` a table come to, and its encrypted ones: empty where there is no row. */
function stateColumns({ kind, id, facts, secrets }: ThingKind): string {
  return `
    case when ${kind}.${id} is null then ''::bytea
      else sha256(convert_to(row(${facts})::text, 'UTF8')) end as digest,
    array[${secrets.map((column) => `coalesce(${kind}.${column}, '')`).join(", ")}]::text[] as secrets`;
}

function toState(kind: ThingKind, row: StateRow, secrets: Secrets): ThingState {
  const { bucket, merchant_id: merchantId, thing_id: thingId, digest } = row;
  const path = kind.kind === "merchant" ? ([bucket, merchantId] as const) : ([bucket, merchantId, thingId] as const);
  return {
    bucket,
    merchantId,
    kind: kind.kind,
    thingId,
    entryNo: row.entry_no ?? 0n,
    digest,
    secrets: kind.secrets.map((column, place) => open(secrets, `${kind.kind}.${column}`, path, row.secrets[place]!)),
  };
}

/** One that does not open must keep nobody from sealing the rest, or from checking it: it differs from all that do. */
function open(secrets: Secrets, place: string, path: RowPath, sealed: string): string {
  try {
    return secrets.unseal(place, path, sealed);
  } catch (error) {
    if (error instanceof UnknownDataKeyError || !(error instanceof SecretsError)) throw error;
    return "\0does not open";
  }
}

/**
 * Entries that say that a thing has changed: those that have a proof. The first condition is word for word that of the index
 * of subjects; a posting that nothing else goes with says nothing of a thing, and somebody with SQL could have written it.
 */
const IS_WORD = `journal.type not like 'transfer.%'
  and (journal.kind is null or journal.before is not null or journal.after is not null)`;

/** The things that the entries of some ranges are about, as they are now, and whether they have a mark yet. */
export async function findTouched(
  db: Queryable,
  ranges: readonly SealedRange[],
): Promise<(ThingState & { readonly isNew: boolean })[]> {
  const touched: (ThingState & { readonly isNew: boolean })[] = [];
  for (const kind of THING_KINDS) {
    const { rows } = await db.query<StateRow & { is_new: boolean }>({
      name: `find-touched-${kind.kind}`,
      text: `with touched as materialized (
          select part.bucket, part.merchant_id, journal.subject_id as thing_id, max(journal.entry_no) as last_no
          from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
            as part (bucket, merchant_id, first_no, last_no)
          join journal
            on journal.bucket = part.bucket and journal.merchant_id = part.merchant_id
            and journal.entry_no between part.first_no and part.last_no
          where ${IS_WORD}
          group by part.bucket, part.merchant_id, journal.subject_id
        )
        select
          touched.bucket, touched.merchant_id, touched.thing_id, last_no as entry_no, sealed.thing_id is null as is_new,
          ${stateColumns(kind)}
        from touched
        left join ${kind.kind}
          on ${kind.kind}.bucket = touched.bucket and ${kind.kind}.merchant_id = touched.merchant_id
          and ${kind.kind}.${kind.id} = touched.thing_id ${kind.where ? `and ${kind.where}` : ""}
        left join sealed_thing sealed
          on sealed.bucket = touched.bucket and sealed.merchant_id = touched.merchant_id
          and sealed.kind = '${kind.kind}' and sealed.thing_id = touched.thing_id
        where ${kind.kind}.${kind.id} is not null or sealed.thing_id is not null`,
      values: [
        ranges.map(({ bucket }) => bucket),
        ranges.map(({ merchantId }) => merchantId),
        ranges.map(({ firstEntryNo }) => firstEntryNo),
        ranges.map(({ lastEntryNo }) => lastEntryNo),
      ],
    });
    const read = (row: (typeof rows)[number], secrets: Secrets) => ({
      ...toState(kind, row, secrets),
      isNew: row.is_new,
    });
    touched.push(...(await readSecretRows(db, rows, read)));
  }
  return touched;
}

/** Writes marks, in place of earlier ones. */
export async function keepMarks(
  db: Queryable,
  marks: readonly (ThingState & { readonly mark: Buffer })[],
): Promise<void> {
  if (marks.length === 0) return;
  await db.query({
    name: "keep-marks",
    text: `insert into sealed_thing (bucket, merchant_id, kind, thing_id, entry_no, mac)
      select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
      on conflict (bucket, merchant_id, kind, thing_id) do update
      set entry_no = excluded.entry_no, mac = excluded.mac`,
    values: [
      marks.map(({ bucket }) => bucket),
      marks.map(({ merchantId }) => merchantId),
      marks.map(({ kind }) => kind),
      marks.map(({ thingId }) => thingId),
      marks.map(({ entryNo }) => entryNo),
      marks.map(({ mark }) => mark),
    ],
  });
}

/** A thing as it is now, with the mark that it was given; `null` where it never was. */
export type CheckedThing = ThingState & {
  readonly mark: Buffer | null;
  /** The last sealed entry about it, by the log; `null` without one. */
  readonly lastEntryNo: bigint | null;
  /** Whether there is an entry about it that is not sealed yet. */
  readonly isUnsealed: boolean;
};

/** What the log says of a thing: whether its last entry is sealed. */
const LAST_ENTRY = `
  cross join lateral (
    select max(journal.entry_no) as entry_no from journal
    where journal.subject_id = thing.thing_id and journal.bucket = thing.bucket and journal.merchant_id = thing.merchant_id
      and ${IS_WORD}
  ) as last_entry
  left join sealed_book on sealed_book.bucket = thing.bucket and sealed_book.merchant_id = thing.merchant_id`;

/** The next things of a kind in key order, of one merchant or of all: those that have a row, or those that have none. */
export async function listThings(
  db: Queryable,
  kind: ThingKind,
  from: "rows" | "marks",
  scope: MerchantKey | null,
  after: (MerchantKey & { readonly thingId: bigint }) | null,
  limit: number,
): Promise<CheckedThing[]> {
  const key = `${kind.kind}.bucket = thing.bucket and ${kind.kind}.merchant_id = thing.merchant_id
    and ${kind.kind}.${kind.id} = thing.thing_id`;
  const source = {
    // Operators belong to no merchant and have no log.
    rows: `select bucket, merchant_id, ${kind.id} as thing_id from ${kind.kind}
      where merchant_id <> 0 and ${kind.where ?? "true"} and `,
    marks: `select bucket, merchant_id, thing_id from sealed_thing thing
      where kind = '${kind.kind}' and not exists (
        select from ${kind.kind} where ${key} ${kind.where ? `and ${kind.where}` : ""}) and `,
  }[from];
  const id = from === "rows" ? kind.id : "thing_id";
  const { rows } = await db.query<
    StateRow & { mac: Buffer | null; last_entry_no: bigint | null; is_unsealed: boolean }
  >(
    `select
       thing.bucket, thing.merchant_id, thing.thing_id, sealed.entry_no, sealed.mac, last_entry.entry_no as last_entry_no,
       coalesce(last_entry.entry_no > coalesce(sealed_book.last_entry_no, 0), false) as is_unsealed,
       ${stateColumns(kind)}
     from (
       ${source} (bucket, merchant_id, ${id}) > ($1::smallint, $2::bigint, $3::bigint)
         and ($4::smallint is null or (bucket = $4 and merchant_id = $5::bigint))
       order by bucket, merchant_id, ${id} limit $6
     ) as thing
     left join ${kind.kind} on ${key} ${from === "marks" ? "and false" : ""}
     left join sealed_thing sealed
       on sealed.bucket = thing.bucket and sealed.merchant_id = thing.merchant_id and sealed.kind = '${kind.kind}'
       and sealed.thing_id = thing.thing_id
     ${LAST_ENTRY}
     order by thing.bucket, thing.merchant_id, thing.thing_id`,
    [
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.thingId ?? 0n,
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      limit,
    ],
  );
  return readSecretRows(db, rows, (row, secrets) => ({
    ...toState(kind, row, secrets),
    mark: row.mac,
    lastEntryNo: row.last_entry_no,
    isUnsealed: row.is_unsealed,
  }));
}
