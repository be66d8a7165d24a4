// One use case: the payouts of a CSV file are asked for, as a batch.
import type { Answered, Context, Merchant } from "../../merchants/index.ts";
import { validationError } from "../../platform/errors.ts";
import { asFieldError } from "./file-line.ts";
import { readPayoutFile } from "./read-payout-file.ts";
import { requestBatch, type BatchAnswer } from "./request-batch.ts";

/** A file, and what people call it. */
export type ImportPayouts = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Asks for all payouts of a file, in its order. A file in which anything is wrong is not taken at all.
 * @throws NodalError `validation_failed` with what is wrong on which line; as `requestBatch` does
 */
export async function importPayouts(
  context: Context<Merchant>,
  { name, bytes }: ImportPayouts,
): Promise<Answered<BatchAnswer>> {
  const { good, errors } = await readPayoutFile(context, bytes);
  if (errors.length > 0) throw validationError(errors.map(asFieldError));
  return requestBatch(context, { name, file: bytes, lines: good.map(({ wish }) => wish) });
}
