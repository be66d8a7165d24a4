// Proof that the server wrote a transfer's UTR: a keyed hash, whose key is not in the database. Payees are shown the UTR, and
// bank statements are matched by it.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { isSame } from "../platform/bytes.ts";
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { formOf, isProvedEnd, isProvedInstruction, PROOF_FORMS, type ProofRow } from "./instruction-proof.ts";
import { isOpen, type TransferIdentity, type TransferState } from "./transfer.ts";
import { listProved, type ProvedTransfer } from "./utr-proof-store.ts";

const PAGE_ROWS = 2000;
/** Every payout has one: half of the hash is enough. */
const PROOF_BYTES = 16;

/** The proof of a transfer's UTR, or of its absence. It takes less than 10 µs. */
export function proveUtr(
  secrets: Secrets,
  { bucket, merchantId, transferId }: TransferIdentity,
  utr: string | null,
): Buffer {
  const ids = [bucket, merchantId, transferId].map(String);
  return secrets.mac("transfer.utr", utr === null ? ids : [...ids, utr]).subarray(0, PROOF_BYTES);
}

/**
 * Finds the transfers whose instruction or UTR was changed with SQL.
 * @throws SecretsError if proofs can't be computed
 */
export async function findForgedUtrs(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const secrets = await secretsOf(db);
  const violations: Violation[] = [];
  for await (const transfer of everyRow<ProvedTransfer>(PAGE_ROWS, (last, limit) =>
    listProved(db, scope, last, limit),
  )) {
    const { merchantId, transferId, utr, proof, state, instruction } = transfer;
    if (!isSoundInstruction(secrets, instruction, state)) {
      violations.push({
        check: "transfer_proof",
        merchantId,
        subjectId: transferId,
        what: "what a transfer pays, to whom and how",
        expected: "what the server wrote",
        found: "something else",
      });
    }
    // Every transfer that has ended or has a UTR has a proof of it.
    if (utr === null && isOpen(state)) continue;
    if (proof !== null && isSame(proveUtr(secrets, transfer, utr), proof)) continue;
    violations.push({
      check: "transfer_utr",
      merchantId,
      subjectId: transferId,
      what: "UTR of a transfer",
      expected: "what the server wrote",
      found: utr ?? "none",
    });
  }
  return violations;
}

/** Whether the server wrote the transfer's row in this state. A rejected one may have waited for approval. */
function isSoundInstruction(secrets: Secrets, row: ProofRow, state: TransferState): boolean {
  if (isOpen(state)) return isProvedInstruction(secrets, row, formOf(state));
  return PROOF_FORMS.some((form) => (form !== "awaited" || state === "REJECTED") && isProvedEnd(secrets, row, form));
}
