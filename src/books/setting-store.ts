// SQL of the settings of a merchant's books.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

export type BookSetting = {
  /** The largest write-off of an invoice. */
  readonly writeOffLimitPaise: bigint;
  /** Nothing is posted to this day or an earlier one; `null` while no period is locked. */
  readonly lockedUntil: Temporal.PlainDate | null;
};

/** The default settings. */
const DEFAULT: BookSetting = { writeOffLimitPaise: 100_00n, lockedUntil: null };

/** A merchant's settings, or the defaults. */
export async function findBookSetting(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<BookSetting> {
  const { rows } = await db.query<{ write_off_limit_paise: bigint; locked_until: Temporal.PlainDate | null }>(
    "select write_off_limit_paise, locked_until from book_setting where bucket = $1 and merchant_id = $2",
    [bucket, merchantId],
  );
  const [row] = rows;
  return row ? { writeOffLimitPaise: row.write_off_limit_paise, lockedUntil: row.locked_until } : DEFAULT;
}

/** Saves a merchant's settings. */
export async function saveBookSetting(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { writeOffLimitPaise, lockedUntil }: BookSetting,
): Promise<void> {
  await connection.query(
    `insert into book_setting (bucket, merchant_id, write_off_limit_paise, locked_until) values ($1, $2, $3, $4)
     on conflict (bucket, merchant_id) do update set
       write_off_limit_paise = excluded.write_off_limit_paise, locked_until = excluded.locked_until`,
    [bucket, merchantId, writeOffLimitPaise, lockedUntil?.toString() ?? null],
  );
}

/** The day until which these merchants' books are locked, by merchant; unlocked ones are left out. */
export async function findLocks(
  db: Queryable,
  merchants: readonly MerchantKey[],
): Promise<ReadonlyMap<bigint, Temporal.PlainDate>> {
  const { rows } = await db.query<{ merchant_id: bigint; locked_until: Temporal.PlainDate }>({
    name: "find-locked-periods",
    text: `select setting.merchant_id, setting.locked_until
      from unnest($1::smallint[], $2::bigint[]) as wanted (bucket, merchant_id)
      join book_setting setting on setting.bucket = wanted.bucket and setting.merchant_id = wanted.merchant_id
      where setting.locked_until is not null`,
    values: [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId)],
  });
  return new Map(rows.map((row) => [row.merchant_id, row.locked_until]));
}

/**
 * Fails if one of these days, each of another merchant, is locked. The caller has locked the merchants' books: locking a period
 * locks the book too, so a posting is either there before the period is locked, or refused.
 */
export async function failOnLockedDays(
  connection: Connection,
  days: readonly (MerchantKey & { readonly entryDate: Temporal.PlainDate })[],
): Promise<void> {
  await connection.query({
    name: "fail-on-locked-days",
    text: `select refuse_locked_day(setting.merchant_id, posted.day, setting.locked_until)
      from unnest($1::smallint[], $2::bigint[], $3::date[]) as posted (bucket, merchant_id, day)
      join book_setting setting on setting.bucket = posted.bucket and setting.merchant_id = posted.merchant_id
      where setting.locked_until >= posted.day`,
    values: [
      days.map(({ bucket }) => bucket),
      days.map(({ merchantId }) => merchantId),
      days.map(({ entryDate }) => entryDate.toString()),
    ],
  });
}
