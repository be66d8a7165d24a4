import type { recordReceipt } from "../invoices/index.ts";
import { bankLines } from "../reconciliation/index.ts";
import type { MerchantScope } from "./command.ts";

/** The context of use cases of receipts. A command makes one request at a time, so it waits for no other save of its process. */
export function receiptContext(scope: MerchantScope): Parameters<typeof recordReceipt>[0] {
  const { pool, ids, merchant } = scope;
  return { pool, ids, merchant, idempotency: null, inTurn: (_merchant, work) => work(), bankLines };
}
