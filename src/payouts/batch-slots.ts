// How a batch over many merchants is handed to the database: the merchants in the order of locking, items pointing at them.
import type { MerchantKey } from "../merchants/index.ts";

/** The merchants of a batch, once each, in key order (the order of locking), and each item's place among them. */
export function slotsOf(items: readonly MerchantKey[]): { merchants: MerchantKey[]; slots: number[] } {
  const merchants = [...new Map(items.map((item) => [item.merchantId, item])).values()].sort(
    (a, b) => a.bucket - b.bucket || (a.merchantId < b.merchantId ? -1 : 1),
  );
  const slotOf = new Map(merchants.map((merchant, index) => [merchant.merchantId, index + 1]));
  return {
    merchants: merchants.map(({ bucket, merchantId }) => ({ bucket, merchantId })),
    slots: items.map((item) => slotOf.get(item.merchantId)!),
  };
}
