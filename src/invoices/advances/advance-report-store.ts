// SQL of the tax on advances in a period, as tables 11A and 11B of GSTR-1 ask for it.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { Period, TaxSums } from "../register/report-store.ts";

/** Advances of one place and rate, without their tax. What was used, refunded or reversed is above 0. */
export type AdvanceRow = TaxSums & {
  /** `received` in the period and not used in it; or `adjusted`: received before it, and used or given back in it. */
  readonly part: "received" | "adjusted";
  /** Two digits; empty where it is not known. */
  readonly placeOfSupply: string;
  readonly rateThousandths: bigint;
};

/** The advances of a period. One that was received and used in it is in neither part. */
export async function readAdvances(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: Period,
): Promise<AdvanceRow[]> {
  type Stored = {
    part: AdvanceRow["part"];
    place_of_supply: string;
    rate_thousandths: bigint;
    taxable: string;
    igst: string;
    cgst: string;
    sgst: string;
  };
  const { rows } = await db.query<Stored>({
    name: "read-advances",
    text: `select
        part, place_of_supply, rate_thousandths, sum(sign * (amount_paise - igst_paise - cgst_paise - sgst_paise))::text as taxable,
        sum(sign * igst_paise)::text as igst, sum(sign * cgst_paise)::text as cgst, sum(sign * sgst_paise)::text as sgst
      from (
        select
          tax.amount_paise, tax.igst_paise, tax.cgst_paise, tax.sgst_paise, place_of_supply, rate_thousandths,
          case when voucher_date >= $3::date then 'received' else 'adjusted' end as part,
          case when voucher_date >= $3::date then 1 else -1 end as sign
        from advance_tax tax
        join advance_voucher voucher on voucher.bucket = $1 and voucher.merchant_id = $2 and voucher.voucher_id = tax.receipt_id
        where tax.bucket = $1 and tax.merchant_id = $2 and tax.entry_date between $3::date and $4::date
      ) as entry
      group by part, place_of_supply, rate_thousandths having sum(amount_paise) <> 0
      order by part desc, place_of_supply, rate_thousandths`,
    values: [bucket, merchantId, from.toString(), to.toString()],
  });
  return rows.map((row) => ({
    part: row.part,
    placeOfSupply: row.place_of_supply,
    rateThousandths: row.rate_thousandths,
    taxablePaise: BigInt(row.taxable),
    igstPaise: BigInt(row.igst),
    cgstPaise: BigInt(row.cgst),
    sgstPaise: BigInt(row.sgst),
    cessPaise: 0n,
    otherPaise: 0n,
  }));
}
