// SQL of statement lines. import-store.ts has accounts and imports.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { isSame } from "../platform/bytes.ts";
import { itemFor, table, type Row } from "../platform/database/table.ts";
import { readSecretRows, secretsOf, whereItOpens, type Secrets } from "../platform/secrets/index.ts";
import { plainKey } from "./line-keys.ts";
import type { Difference, UnmatchedLine, MatchedBy, OpenLine } from "./match-lines.ts";
import type { ReadLine, Side } from "./reading/statement.ts";
import { payerOf } from "./narration.ts";
import { payerIndexOf } from "./payer-store.ts";
import { proveLine } from "./proofs.ts";

export const LINE_STATES = ["matched", "missing_here", "different", "noted"] as const;
export type LineState = (typeof LINE_STATES)[number];

/** A saved line. */
export type StatementLine = MerchantKey &
  Omit<ReadLine, "narration" | "otherWords" | "otherDays"> &
  Omit<OpenLine, "isCharge"> & {
    readonly accountId: bigint;
    readonly importId: bigint;
    /** Other dates of it in the file, separated by spaces. */
    readonly otherDays: string;
    readonly narration: string | null;
    /** Its number among equal lines of a file, from 1. */
    readonly copyNo: number;
    readonly isCharge: boolean;
    readonly state: LineState;
    readonly matchId: bigint | null;
    readonly matchedBy: MatchedBy | null;
    readonly aboutId: bigint | null;
    readonly difference: Difference | null;
    readonly note: string | null;
  };

export const LINES = table<StatementLine, MerchantKey & Pick<StatementLine, "lineId">>(
  "statement_line",
  ["bucket", "merchantId", "lineId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    lineId: "bigint",
    accountId: "bigint",
    importId: "bigint",
    fileLine: "integer",
    bookedOn: "date",
    otherDays: "text",
    side: "text",
    amountPaise: "bigint",
    reference: "text",
    narration: "text sealed",
    balancePaise: "bigint",
    copyNo: "integer",
    keys: "text",
    paymentOf: "bigint",
    isCharge: "boolean",
    state: "text",
    matchId: "bigint",
    matchedBy: "text",
    duplicateOf: "bigint",
    aboutId: "bigint",
    difference: "text",
    note: "text",
  },
);

export const STATEMENT_SECRETS = LINES.secretTable([
  { column: "narration_index", of: ["narration"], compared: comparedNarration },
  { column: "payer_index", of: ["narration"], compared: payerOf },
]);

/**
 * A narration in the form in which lines are compared: downloads of the same line differ in blanks, capitals and a leading
 * apostrophe.
 */
export function comparedNarration(narration: string | null): string | null {
  return narration && narration.normalize("NFKC").replaceAll(/\s+/g, "").replace(/^'/, "").toUpperCase();
}

/** A reference in the form in which lines are compared: capitals and digits, without leading zeros. Other letters are kept. */
export function comparedReference(reference: string | null): string | null {
  return reference && (plainKey(reference) || reference);
}

/** The blind index of a line's narration, which finds it without decryption. */
export function narrationIndexOf(
  secrets: Secrets,
  { bucket, merchantId, narration }: MerchantKey & Pick<StatementLine, "narration">,
): Buffer | null {
  return secrets.blindIndex("statement_line.narration_index", [bucket, merchantId], [comparedNarration(narration)]);
}

/** Adds the lines that no earlier import had. Returns their number. */
export async function insertLines(connection: Connection, lines: readonly StatementLine[]): Promise<number> {
  const secrets = await secretsOf(connection);
  const { columns, arrays, values } = LINES.arrays(lines, { from: 5, secrets });
  const { rowCount } = await connection.query(
    `insert into statement_line (narration_index, proof, compared_reference, payer_index, ${columns})
     select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::bytea[], ${arrays})
     on conflict do nothing
     returning 1`,
    [
      lines.map((line) => narrationIndexOf(secrets, line)),
      lines.map((line) => proveLine(secrets, line)),
      lines.map(({ reference }) => comparedReference(reference)),
      lines.map((line) => payerIndexOf(secrets, line)),
      ...values,
    ],
  );
  return rowCount ?? 0;
}

/** A condition: whether a line may be matched automatically. One whose match was undone needs a person. */
const MAY_MATCH = "state in ('missing_here', 'different') and difference is distinct from 'undone'";

/** A page of lines that may be matched, in the order of their numbers, after the given one. */
export async function listOpenLines(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  after: bigint,
  limit: number,
): Promise<(OpenLine & Pick<StatementLine, "state" | "aboutId" | "difference">)[]> {
  const { rows } = await db.query<{
    line_id: bigint;
    booked_on: Temporal.PlainDate;
    side: Side;
    amount_paise: bigint;
    keys: string;
    payment_of: bigint | null;
    is_charge: boolean;
    duplicate_of: bigint | null;
    state: LineState;
    about_id: bigint | null;
    difference: Difference | null;
  }>({
    name: "list-open-lines",
    text: `select line_id, booked_on, side, amount_paise, keys, payment_of, is_charge, duplicate_of, state, about_id, difference
      from statement_line
      where bucket = $1 and merchant_id = $2 and line_id > $3 and ${MAY_MATCH}
      order by line_id limit $4`,
    values: [bucket, merchantId, after, limit],
  });
  return rows.map((row) => ({
    lineId: row.line_id,
    bookedOn: row.booked_on,
    side: row.side,
    amountPaise: row.amount_paise,
    keys: row.keys,
    paymentOf: row.payment_of,
    isCharge: row.is_charge,
    duplicateOf: row.duplicate_of,
    state: row.state,
    aboutId: row.about_id,
    difference: row.difference,
  }));
}

/** Those of these lines that may still be matched automatically. A line changed with SQL may not. */
export async function findStillOpen(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  lineIds: readonly bigint[],
): Promise<Set<bigint>> {
  const lines = await selectLines(db, `line_id = any ($3) and ${MAY_MATCH}`, [bucket, merchantId, lineIds]);
  return new Set(lines.filter(({ isSound }) => isSound).map(({ lineId }) => lineId));
}

/** The element of an array for a line, at the line's position in $3. */
const ofLine = (items: string): string => itemFor("line_id", "$3::bigint[]", items);

/** Marks lines as matched, each with its match. */
export async function markLinesMatched(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  marks: readonly { readonly lineId: bigint; readonly matchId: bigint; readonly by: MatchedBy }[],
  note: string | null = null,
): Promise<void> {
  await connection.query({
    name: "match-lines",
    text: `update statement_line
      set state = 'matched', match_id = ${ofLine("$4::bigint[]")}, matched_by = ${ofLine("$5::text[]")}, difference = null, about_id = null,
        note = coalesce($6, note)
      where bucket = $1 and merchant_id = $2 and line_id = any ($3)`,
    values: [
      bucket,
      merchantId,
      marks.map(({ lineId }) => lineId),
      marks.map(({ matchId }) => matchId),
      marks.map(({ by }) => by),
      note,
    ],
  });
}

/** Saves the status of open lines. */
export async function markUnmatched(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  unmatched: readonly UnmatchedLine[],
): Promise<void> {
  await connection.query({
    name: "mark-unmatched",
    text: `update statement_line
      set state = ${ofLine("$4::text[]")}, about_id = ${ofLine("$5::bigint[]")}, difference = ${ofLine("$6::text[]")}
      where bucket = $1 and merchant_id = $2 and line_id = any ($3) and ${MAY_MATCH}`,
    values: [
      bucket,
      merchantId,
      unmatched.map(({ line }) => line.lineId),
      unmatched.map(({ state }) => state),
      unmatched.map(({ aboutId }) => aboutId),
      unmatched.map(({ difference }) => difference),
    ],
  });
}

/** Takes lines out of their matches, and excludes them from automatic matching. */
export async function markLinesUnmatched(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  lineIds: readonly bigint[],
  reason: string,
): Promise<void> {
  await connection.query(
    `update statement_line
     set state = 'different', difference = 'undone', match_id = null, matched_by = null, about_id = null, note = $4
     where bucket = $1 and merchant_id = $2 and line_id = any ($3)`,
    [bucket, merchantId, lineIds, reason],
  );
}

/** The lines of these matches. */
export function findLinesOfMatches(db: Queryable, { bucket, merchantId }: MerchantKey, matchIds: readonly bigint[]) {
  return selectLines(db, "match_id = any ($3)", [bucket, merchantId, matchIds]);
}

/** The lines with a payment's fee that nobody has booked yet. */
export function findFeeLines(db: Queryable, { bucket, merchantId }: MerchantKey, transferId: bigint) {
  const condition = "about_id = $3 and state = 'different' and difference = 'fee'";
  return selectLines(db, condition, [bucket, merchantId, transferId]);
}

/** Sets open lines aside, each with its note. */
export async function noteLines(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  notes: readonly { readonly lineId: bigint; readonly note: string }[],
): Promise<void> {
  await connection.query(
    `update statement_line
     set state = 'noted', note = ${ofLine("$4::text[]")}, about_id = null, difference = null
     where bucket = $1 and merchant_id = $2 and line_id = any ($3) and state in ('missing_here', 'different')`,
    [bucket, merchantId, notes.map(({ lineId }) => lineId), notes.map(({ note }) => note)],
  );
}

/**
 * Sets a line aside with a note, or reopens it (`null`), which also marks it as not repeating another line: its proof is computed
 * again if it was valid before. Returns whether it was open, or set aside.
 */
export async function noteLine(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  lineId: bigint,
  note: string | null,
): Promise<boolean> {
  const [line] = note === null ? await findLines(connection, { bucket, merchantId }, [lineId]) : [];
  const secrets = await secretsOf(connection);
  const [before, after] = line
    ? [proveLine(secrets, line), proveLine(secrets, { ...line, duplicateOf: null })]
    : [null, null];
  const { rowCount } = await connection.query(
    `update statement_line
     set note = $4, duplicate_of = case when $4::text is null then null else duplicate_of end,
       proof = case when proof = $5 then $6 else proof end,
       state = case when $4::text is null then 'missing_here' else 'noted' end, about_id = null,
       difference = null
     where bucket = $1 and merchant_id = $2 and line_id = $3 and match_id is null`,
    [bucket, merchantId, lineId, note, before, after],
  );
  return rowCount === 1;
}

/** A merchant's lines by their numbers. */
export function findLines(db: Queryable, { bucket, merchantId }: MerchantKey, lineIds: readonly bigint[]) {
  return selectLines(db, "line_id = any ($3)", [bucket, merchantId, lineIds]);
}

export type FoundLine = StatementLine & {
  /** Whether it is as the server wrote it. Nothing is booked from a line changed with SQL. */
  readonly isSound: boolean;
};

/** The lines of merchant $1, $2 that satisfy a condition, in the order of their numbers. */
async function selectLines(db: Queryable, condition: string, values: readonly unknown[]): Promise<FoundLine[]> {
  const { rows } = await db.query<Row & { proof: Buffer | null }>(
    `select * from statement_line where bucket = $1 and merchant_id = $2 and ${condition} order by line_id`,
    [...values],
  );
  return readSecretRows(db, rows, (row, secrets) =>
    whereItOpens<FoundLine>(
      () => {
        const line = LINES.read(row, secrets);
        return { ...line, isSound: isProvedLine(secrets, row, line) };
      },
      // Others are read with it.
      () => ({ ...LINES.read({ ...row, narration: null }, secrets), isSound: false }),
    ),
  );
}

/** Whether a row of the table, read as `line`, is as the server wrote it. */
export function isProvedLine(
  secrets: Secrets,
  row: { readonly proof: Buffer | null; readonly [column: string]: unknown },
  line: StatementLine,
): boolean {
  if (row["compared_reference"] !== comparedReference(line.reference)) return false;
  return row.proof !== null && isSame(row.proof, proveLine(secrets, line));
}

export type LineSearch = {
  readonly accountId: bigint | null;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly state: LineState | null;
  /** After this line, in the order of days and numbers. */
  readonly after: { readonly bookedOn: Temporal.PlainDate; readonly lineId: bigint } | null;
  readonly limit: number;
};

/** Lines of statements in the order of days. */
export function searchLines(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { accountId, from, to, state, after, limit }: LineSearch,
): Promise<StatementLine[]> {
  const text = `select ${LINES.columns} from statement_line
    where bucket = $1 and merchant_id = $2 and ($3::bigint is null or account_id = $3)
      and ($4::date is null or booked_on >= $4) and ($5::date is null or booked_on <= $5)
      and ($6::text is null or state = $6)
      and ($7::date is null or (booked_on, line_id) > ($7, $8))
    order by booked_on, line_id limit $9`;
  return LINES.select(db, text, [
    bucket,
    merchantId,
    accountId,
    from?.toString() ?? null,
    to?.toString() ?? null,
    state,
    after?.bookedOn.toString() ?? null,
    after?.lineId ?? null,
    limit,
  ]);
}

/** The statement lines of an account's day. */
export type StatementDay = {
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  readonly inPaise: bigint;
  readonly outPaise: bigint;
  readonly counts: Readonly<Record<LineState, number>>;
};

export async function readStatementDay(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  accountId: bigint,
  day: Temporal.PlainDate,
): Promise<StatementDay> {
  const { rows } = await db.query<{
    opening: bigint | null;
    closing: bigint | null;
    came: bigint;
    went: bigint;
    matched: bigint;
    missing_here: bigint;
    different: bigint;
    noted: bigint;
  }>(
    `select
       (array_agg(balance_paise - case side when 'in' then amount_paise else -amount_paise end order by line_id)
         filter (where balance_paise is not null))[1] as opening,
       (array_agg(balance_paise order by line_id desc) filter (where balance_paise is not null))[1] as closing,
       coalesce(sum(amount_paise) filter (where side = 'in'), 0)::bigint as came,
       coalesce(sum(amount_paise) filter (where side = 'out'), 0)::bigint as went,
       ${LINE_STATES.map((state) => `count(*) filter (where state = '${state}') as ${state}`).join(", ")}
     from statement_line
     where bucket = $1 and merchant_id = $2 and account_id = $3 and booked_on = $4`,
    [bucket, merchantId, accountId, day.toString()],
  );
  const row = rows[0]!;
  const counts = Object.fromEntries(LINE_STATES.map((state) => [state, Number(row[state])])) as Record<
    LineState,
    number
  >;
  return { openingPaise: row.opening, closingPaise: row.closing, inPaise: row.came, outPaise: row.went, counts };
}
