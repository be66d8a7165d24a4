// SQL of what a merchant chose for its books.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

export type BookSetting = {
  /** The most that may be written off of an invoice. */
  readonly writeOffLimitPaise: bigint;
};

/** What holds for a merchant that chose nothing. */
const DEFAULT: BookSetting = { writeOffLimitPaise: 100_00n };

/** What a merchant chose, or what holds where it chose nothing. */
export async function findBookSetting(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<BookSetting> {
  const { rows } = await db.query<{ write_off_limit_paise: bigint }>(
    "select write_off_limit_paise from book_setting where bucket = $1 and merchant_id = $2",
    [bucket, merchantId],
  );
  const [row] = rows;
  return row ? { writeOffLimitPaise: row.write_off_limit_paise } : DEFAULT;
}

/** Writes down what a merchant chose. */
export async function saveBookSetting(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { writeOffLimitPaise }: BookSetting,
): Promise<void> {
  await connection.query(
    `insert into book_setting (bucket, merchant_id, write_off_limit_paise) values ($1, $2, $3)
     on conflict (bucket, merchant_id) do update set write_off_limit_paise = excluded.write_off_limit_paise`,
    [bucket, merchantId, writeOffLimitPaise],
  );
}
