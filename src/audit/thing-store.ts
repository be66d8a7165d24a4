// SQL of marks: the current content of entries' subjects, and their marks at the last seal. thing-facts.ts lists the columns.
import type { KeyObject } from "node:crypto";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { inParts, pinTo, type BucketPin } from "../platform/database/citus/index.ts";
import { readSecretRows, type Secrets } from "../platform/secrets/index.ts";
import { pageByBucket } from "./seal-store.ts";
import { itemName, type Word } from "./explain-change.ts";
import { stampFacts, type SealedRange, type ThingState } from "./seal.ts";
import type { ThingKind } from "./fact.ts";
import { BILL_NAMES, THING_KINDS } from "./thing-facts.ts";

type StateRow = {
  bucket: number;
  merchant_id: bigint;
  thing_id: bigint;
  entry_no: bigint | null;
  /** A SHA-256 for each fact, concatenated; empty if there is no row. */
  digests: Buffer;
  secrets: string[];
  /** Further values that the encrypted ones are bound to. */
  beside: string[];
  items: Record<string, string>;
};

const DIGEST_BYTES = 32;

/** The table of a kind, with the kind's name as alias. */
function tableOf({ kind, table = kind }: ThingKind): string {
  return table === kind ? kind : `${table} ${kind}`;
}

const digest = (said: string): string => `sha256(convert_to(row(${said})::text, 'UTF8'))`;

/** The content of a row's columns, for `toState`. */
function stateColumns(thing: ThingKind, pin: BucketPin): string {
  const { kind, id, facts, secrets = [], items = [] } = thing;
  // Their subqueries use the alias `own`.
  const said = facts.map(({ sql }) => digest(sql)).join(" || ");
  const ofItems = items.map(
    ({ table, name, sql }) => `coalesce((
      select jsonb_object_agg('${itemName(table, "")}' || own.${name}, encode(${digest(sql)}, 'hex')) from ${table} own
      where own.bucket = ${kind}.bucket and own.merchant_id = ${kind}.merchant_id), '{}')`,
  );
  const beside = [...new Set(secrets.flatMap((secret) => secret.beside ?? []))];
  const columns = `
    case when ${kind}.${id} is null then ''::bytea else ${said} end as digests,
    array[${secrets.map(({ column }) => `coalesce(${kind}.${column}, '')`).join(", ")}]::text[] as secrets,
    array[${beside.map((column) => `coalesce(${kind}.${column}, '')`).join(", ")}]::text[] as beside,
    ${ofItems.length === 0 ? "'{}'::jsonb" : ofItems.join(" || ")} as items`;
  return columns.replaceAll("own.bucket = ", (first) => (pin.of("own") ? `true${pin.of("own")} and ${first}` : first));
}

function toState(key: KeyObject, thing: ThingKind, row: StateRow, secrets: Secrets): ThingState {
  const { bucket, merchant_id: merchantId, thing_id: thingId } = row;
  const { kind, secrets: encrypted = [] } = thing;
  const path = kind === "merchant" ? ([bucket, merchantId] as const) : ([bucket, merchantId, thingId] as const);
  const about = { bucket, merchantId, kind, thingId };
  const isGone = row.digests.length === 0;
  const columns = [...new Set(encrypted.flatMap(({ beside }) => beside ?? []))];
  const besideOf = (names: readonly string[] = []) => names.map((name) => row.beside[columns.indexOf(name)] ?? "");
  const said = {
    digests: thing.facts.map((_fact, place) => row.digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES)),
    // A value that can't be decrypted must not block sealing or checking the rest: it differs from all that can.
    secrets: encrypted.map(
      ({ column, beside }, place) =>
        secrets.tryUnseal(`${kind}.${column}`, path, row.secrets[place]!, besideOf(beside)) ?? "\0does not open",
    ),
    items: new Map(Object.entries(row.items)),
  };
  const facts = isGone ? Buffer.alloc(0) : stampFacts(key, about, said);
  return { ...about, entryNo: row.entry_no ?? 0n, facts };
}

/**
 * Entries that show a change of a thing: those with a proof. The first condition is exactly that of the index by
 * subject. A posting alone shows no change of a thing, and could have been written with SQL.
 */
const IS_WORD = `journal.type not like 'transfer.%'
  and (journal.kind is null or journal.before is not null or journal.after is not null)`;

/** The kind of bill in an entry's type; empty for other entries, whose subject may be of any kind. */
const BILL = `case when split_part(journal.type, '.', 1) in (${[...BILL_NAMES].map((name) => `'${name}'`).join(", ")})
  then split_part(journal.type, '.', 1) else '' end`;

/** Entries that may show a change of a thing of this kind. */
const isWordOf = ({ kind }: ThingKind): string => `${IS_WORD} and ${BILL} in ('${kind}', '')`;

/** A subject that has changed by entries of some ranges. Postings alone have none. */
type Subject = MerchantKey & {
  readonly thingId: bigint;
  readonly lastEntryNo: bigint;
  /** Its kind of bill; empty if its entries don't show the kind. */
  readonly bill: string;
};

async function findSubjects(db: Queryable, ranges: readonly SealedRange[]): Promise<Subject[]> {
  const pin = pinTo(db, ranges);
  const { rows } = await db.query<{
    bucket: number;
    merchant_id: bigint;
    subject_id: bigint;
    bill: string;
    last_no: bigint;
  }>({
    name: pin.name("find-subjects"),
    // Range by range, by the journal's key: with a join, the planner would read a merchant's whole journal for a few entries.
    text: `select part.bucket, part.merchant_id, subject_id, subject.bill, subject.last_no
      from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
        as part (bucket, merchant_id, first_no, last_no)
      cross join lateral (
        select journal.subject_id, ${BILL} as bill, max(journal.entry_no) as last_no
        from journal
        where journal.bucket = part.bucket and journal.merchant_id = part.merchant_id
          and journal.entry_no between part.first_no and part.last_no and ${IS_WORD}${pin.of("journal")}
        group by journal.subject_id, ${BILL}
      ) as subject`,
    values: [
      ranges.map(({ bucket }) => bucket),
      ranges.map(({ merchantId }) => merchantId),
      ranges.map(({ firstEntryNo }) => firstEntryNo),
      ranges.map(({ lastEntryNo }) => lastEntryNo),
    ],
  });
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    thingId: row.subject_id,
    bill: row.bill,
    lastEntryNo: row.last_no,
  }));
}

/** The subjects that may be of this kind, each once with its last entry. */
function subjectsOf({ kind }: ThingKind, subjects: readonly Subject[]): Subject[] {
  const last = new Map<string, Subject>();
  for (const subject of subjects) {
    if (subject.bill !== "" && subject.bill !== kind) continue;
    const name = `${subject.merchantId} ${subject.thingId}`;
    const known = last.get(name);
    if (!known || known.lastEntryNo < subject.lastEntryNo) last.set(name, subject);
  }
  return [...last.values()];
}

/** A stored mark, with its facts. */
export type Marked = { readonly entryNo: bigint; readonly facts: Buffer; readonly mark: Buffer };

/** The current state of a thing, with its mark; `null` if it has none yet. */
export type TouchedThing = ThingState & {
  readonly marked: Marked | null;
  readonly of: ThingKind;
  /** The entries about it since its mark, the newest first. */
  readonly words: readonly Word[];
};

/** If more entries are needed, the thing keeps its old mark. */
const MAX_WORDS = 1000;

/** The subjects of the entries of some ranges. */
export async function findTouched(
  db: Queryable,
  key: KeyObject,
  ranges: readonly SealedRange[],
): Promise<TouchedThing[]> {
  const touched: TouchedThing[] = [];
  for (const some of inParts(db, ranges)) {
    const subjects = await findSubjects(db, some);
    if (subjects.length === 0) continue;
    for (const kind of THING_KINDS) {
      const likely = subjectsOf(kind, subjects);
      if (likely.length > 0) touched.push(...(await findTouchedOf(db, key, kind, likely)));
    }
  }
  return touched;
}

async function findTouchedOf(
  db: Queryable,
  key: KeyObject,
  kind: ThingKind,
  subjects: readonly Subject[],
): Promise<TouchedThing[]> {
  const pin = pinTo(db, subjects);
  const { rows } = await db.query<
    StateRow & { marked_no: bigint | null; facts: Buffer | null; mac: Buffer | null; words: Word[] }
  >({
    name: pin.name(`find-touched-${kind.kind}`),
    text: `select
          touched.bucket, touched.merchant_id, touched.thing_id, last_no as entry_no,
          sealed.entry_no as marked_no, sealed.facts, sealed.mac,
          (select coalesce(jsonb_agg(jsonb_build_object('type', word.type, 'before', word.before, 'after', word.after)), '[]')
           from (
             select journal.type, journal.before, journal.after from journal
             where journal.subject_id = touched.thing_id and journal.bucket = touched.bucket
               and journal.merchant_id = touched.merchant_id and journal.entry_no > coalesce(sealed.entry_no, 0)
               and ${isWordOf(kind)}${pin.of("journal")}
             order by journal.entry_no desc limit ${MAX_WORDS}
           ) as word) as words,
          ${stateColumns(kind, pin)}
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
          as touched (bucket, merchant_id, thing_id, last_no)
        left join ${tableOf(kind)}
          on ${kind.kind}.bucket = touched.bucket and ${kind.kind}.merchant_id = touched.merchant_id
          and ${kind.kind}.${kind.id} = touched.thing_id ${kind.where ? `and ${kind.where}` : ""}${pin.of(kind.kind)}
        left join sealed_thing sealed
          on sealed.bucket = touched.bucket and sealed.merchant_id = touched.merchant_id
          and sealed.kind = '${kind.kind}' and sealed.thing_id = touched.thing_id${pin.of("sealed")}
        where ${kind.kind}.${kind.id} is not null or sealed.thing_id is not null`,
    values: [
      subjects.map(({ bucket }) => bucket),
      subjects.map(({ merchantId }) => merchantId),
      subjects.map(({ thingId }) => thingId),
      subjects.map(({ lastEntryNo }) => lastEntryNo),
    ],
  });
  const read = (row: (typeof rows)[number], secrets: Secrets) => ({
    ...toState(key, kind, row, secrets),
    marked: row.mac ? { entryNo: row.marked_no!, facts: row.facts!, mark: row.mac } : null,
    of: kind,
    words: row.words,
  });
  return readSecretRows(db, rows, read);
}

/** Writes marks, replacing earlier ones. */
export async function keepMarks(
  db: Queryable,
  marks: readonly (ThingState & { readonly mark: Buffer })[],
): Promise<void> {
  if (marks.length === 0) return;
  await db.query({
    name: "keep-marks",
    text: `insert into sealed_thing (bucket, merchant_id, kind, thing_id, entry_no, facts, mac)
      select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
      on conflict (bucket, merchant_id, kind, thing_id) do update
      set entry_no = excluded.entry_no, facts = excluded.facts, mac = excluded.mac
      returning 1`,
    values: [
      marks.map(({ bucket }) => bucket),
      marks.map(({ merchantId }) => merchantId),
      marks.map(({ kind }) => kind),
      marks.map(({ thingId }) => thingId),
      marks.map(({ entryNo }) => entryNo),
      marks.map(({ facts }) => facts),
      marks.map(({ mark }) => mark),
    ],
  });
}

/** The current state of a thing, with its mark; `null` if it has none. */
export type CheckedThing = ThingState & {
  readonly marked: Omit<Marked, "entryNo"> | null;
  /** The last sealed entry about it in the log; `null` if there is none. */
  readonly lastEntryNo: bigint | null;
  /** Is there an unsealed entry about it? */
  readonly isUnsealed: boolean;
};

/** SQL: the last sealed entry about a thing, and whether there is an unsealed one. */
const lastEntry = (kind: ThingKind, pin: BucketPin): string => `
  cross join lateral (
    select max(journal.entry_no) as entry_no from journal
    where journal.subject_id = thing.thing_id and journal.bucket = thing.bucket and journal.merchant_id = thing.merchant_id
      and ${isWordOf(kind)}${pin.of("journal")}
  ) as last_entry
  left join sealed_book on sealed_book.bucket = thing.bucket and sealed_book.merchant_id = thing.merchant_id${pin.of("sealed_book")}`;

/** The next things of a kind in key order, of one merchant or of all: with a row, or without one. */
export async function listThings(
  db: Queryable,
  key: KeyObject,
  kind: ThingKind,
  from: "rows" | "marks",
  scope: MerchantKey | null,
  after: (MerchantKey & { readonly thingId: bigint }) | null,
  limit: number,
): Promise<CheckedThing[]> {
  return pageByBucket(db, scope, after, limit, (pin, some) =>
    listThingsIn(db, key, pin, kind, from, scope, after, some),
  );
}

async function listThingsIn(
  db: Queryable,
  key: KeyObject,
  pin: BucketPin,
  kind: ThingKind,
  from: "rows" | "marks",
  scope: MerchantKey | null,
  after: (MerchantKey & { readonly thingId: bigint }) | null,
  limit: number,
): Promise<CheckedThing[]> {
  const isSameThing = `${kind.kind}.bucket = thing.bucket and ${kind.kind}.merchant_id = thing.merchant_id
    and ${kind.kind}.${kind.id} = thing.thing_id`;
  const source = {
    rows: `select bucket, merchant_id, ${kind.id} as thing_id from ${tableOf(kind)} where ${kind.where ?? "true"} and `,
    marks: `select bucket, merchant_id, thing_id from sealed_thing thing
      where kind = '${kind.kind}' and not exists (
        select from ${tableOf(kind)} where ${isSameThing} ${kind.where ? `and ${kind.where}` : ""}${pin.of(kind.kind)}) and `,
  }[from];
  const id = from === "rows" ? kind.id : "thing_id";
  const { rows } = await db.query<
    StateRow & { facts: Buffer | null; mac: Buffer | null; last_entry_no: bigint | null; is_unsealed: boolean }
  >(
    `select
       thing.bucket, thing.merchant_id, thing.thing_id, sealed.entry_no, sealed.facts, sealed.mac,
       last_entry.entry_no as last_entry_no,
       coalesce(last_entry.entry_no > coalesce(sealed_book.last_entry_no, 0), false) as is_unsealed,
       ${stateColumns(kind, pin)}
     from (
       ${source} (bucket, merchant_id, ${id}) > ($1::smallint, $2::bigint, $3::bigint)
         and ($4::smallint is null or (bucket = $4 and merchant_id = $5::bigint))${pin.of(from === "rows" ? kind.kind : "thing")}
       order by bucket, merchant_id, ${id} limit $6
     ) as thing
     left join ${tableOf(kind)} on ${isSameThing} ${from === "marks" ? "and false" : ""}${pin.of(kind.kind)}
     left join sealed_thing sealed
       on sealed.bucket = thing.bucket and sealed.merchant_id = thing.merchant_id and sealed.kind = '${kind.kind}'
       and sealed.thing_id = thing.thing_id${pin.of("sealed")}
     ${lastEntry(kind, pin)}
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
    ...toState(key, kind, row, secrets),
    marked: row.mac && { facts: row.facts!, mark: row.mac },
    lastEntryNo: row.last_entry_no,
    isUnsealed: row.is_unsealed,
  }));
}
