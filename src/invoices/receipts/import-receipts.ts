// Use case: record many receipts, such as the lines of a file, each separately and once. docs/rules/receipts.md#files
import { eachOutcome } from "../../platform/database/each-outcome.ts";
import { violates } from "../../platform/database/failure.ts";
import { NodalError, sentenceOf } from "../../platform/errors.ts";
import { findImportedReceipts } from "../receipt-store.ts";
import { recordReceipt, type NewReceipt, type ReceiptContext } from "./record-receipt.ts";

export type ImportedReceipt = {
  readonly importKey: string;
  readonly receiptId: bigint;
  readonly receiptNumber: string;
  /** Whether an earlier import recorded it. */
  readonly wasThere: boolean;
};

/** A receipt that was not recorded, and why. */
export type RefusedReceipt = { readonly importKey: string; readonly field: string; readonly message: string };

/**
 * Records receipts one after the other, each in its own transaction: a refused one does not affect the others. If a receipt with the same key was
 * imported before and is not reversed, that one is returned and none is recorded, even if another request is importing it.
 */
export async function importReceipts(
  context: ReceiptContext,
  receipts: readonly NewReceipt[],
): Promise<(ImportedReceipt | RefusedReceipt)[]> {
  const keys = receipts.map(keyOf);
  const there = await findImportedReceipts(context.pool, context.merchant, keys);
  const outcomes = await eachOutcome(receipts, async (receipt) => {
    const known = there.get(keyOf(receipt));
    return known ? { receiptId: known.receiptId, wasThere: true } : recordOnce(context, receipt);
  });
  const found = await findImportedReceipts(context.pool, context.merchant, keys);
  return outcomes.map(({ item, outcome }) => {
    const importKey = keyOf(item);
    if (outcome instanceof NodalError) return { importKey, ...reasonOf(outcome) };
    const { receiptId, wasThere } = outcome;
    return { importKey, receiptId, receiptNumber: found.get(importKey)?.receiptNumber ?? "", wasThere };
  });
}

const keyOf = ({ payment }: NewReceipt): string => payment.importKey ?? "";

function reasonOf({ errors: [first], message }: NodalError): Pick<RefusedReceipt, "field" | "message"> {
  return first ? { field: first.field, message: sentenceOf(first) } : { field: "", message };
}

/** Records a receipt, unless there is one with its key. */
async function recordOnce(
  context: ReceiptContext,
  receipt: NewReceipt,
): Promise<{ readonly receiptId: bigint; readonly wasThere: boolean }> {
  const { pool, merchant } = context;
  for (;;) {
    try {
      const { answer } = await recordReceipt({ ...context, idempotency: null }, receipt);
      return { receiptId: BigInt(answer), wasThere: false };
    } catch (error) {
      // Another request has just recorded it: then it is found.
      if (!violates(error, "receipt_import_once")) throw error;
      const there = (await findImportedReceipts(pool, merchant, [keyOf(receipt)])).get(keyOf(receipt));
      if (there) return { receiptId: there.receiptId, wasThere: true };
    }
  }
}
