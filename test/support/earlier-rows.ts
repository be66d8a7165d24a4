// Saves earlier rows of a table, as somebody with the database owner's password could, to restore them later. No assertions.
import type { Pool } from "../../src/platform/database/pool.ts";

/** Earlier rows of a table, and which of them are which. */
export type EarlierRows = {
  /** How many rows with this condition were saved. */
  count(condition: string): Promise<number>;
  /** Restores the n-th saved row with this condition, from 1. */
  putBack(condition: string, place?: number): Promise<void>;
};

/** Runs `work` while each row of a table is saved before it changes; they can be restored until it returns. */
export async function keepingRows(
  owner: Pool,
  table: string,
  key: readonly string[],
  work: (earlier: EarlierRows) => Promise<void>,
): Promise<void> {
  const kept = `earlier_${table}`;
  await owner.query(`create table ${kept} (like ${table}); alter table ${kept} add column place serial`);
  await owner.query(
    `create function keep_${kept}() returns trigger language plpgsql security definer as $$ begin
       insert into ${kept} select old.*, nextval('${kept}_place_seq');
       return new;
     end $$`,
  );
  await owner.query(
    `create trigger keeps before update on ${table} for each row when (old is distinct from new) execute function keep_${kept}()`,
  );
  const { rows } = await owner.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
  );
  const { columns } = rows[0]!;
  const isSame = key.map((name) => `${table}.${name} = found.${name}`).join(" and ");
  try {
    await work({
      count: async (condition) => {
        const found = await owner.query<{ count: number }>(
          `select count(*)::integer as count from ${kept} where ${condition}`,
        );
        return found.rows[0]!.count;
      },
      putBack: async (condition, place = 1) => {
        await owner.query(`alter table ${table} disable trigger keeps`);
        const { rowCount } = await owner.query(
          `with found as (
             select ${columns} from ${kept} where ${condition} order by place limit 1 offset ${place - 1}
           )
           update ${table} set (${columns}) = (select ${columns} from found) from found where ${isSame}`,
        );
        await owner.query(`alter table ${table} enable trigger keeps`);
        if (rowCount !== 1) throw new Error(`no earlier row: ${condition}`);
      },
    });
  } finally {
    await owner.query(`drop trigger keeps on ${table}; drop function keep_${kept}; drop table ${kept}`);
  }
}
