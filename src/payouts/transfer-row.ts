// Reads the payment instruction from a row of `transfer`.
import type { RailMode } from "./rails/rail.ts";
import type { TransferIdentity, TransferKind, TransferMode } from "./transfer.ts";

/** What a transfer instructs the bank to pay. Only the rail may change later, and only before it is sent. */
export type Instruction = TransferIdentity & {
  readonly kind: TransferKind;
  readonly referenceId: string | null;
  readonly beneficiaryId: bigint | null;
  /** The franchise, for a payout of commission. */
  readonly franchiseId: bigint | null;
  readonly mode: TransferMode;
  readonly rail: string;
  readonly railMode: RailMode;
  readonly amountPaise: bigint;
  readonly narrative: string;
};

/** The columns of an `Instruction`. */
export const INSTRUCTION_COLUMNS = `transfer.bucket, transfer.merchant_id, transfer.transfer_id, transfer.kind,
  transfer.reference_id, transfer.beneficiary_id, transfer.franchise_id, transfer.mode, transfer.rail, transfer.rail_mode,
  transfer.amount_paise, transfer.narrative`;

/** A row with `INSTRUCTION_COLUMNS`. */
export type InstructionRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly kind: TransferKind;
  readonly reference_id: string | null;
  readonly beneficiary_id: bigint | null;
  readonly franchise_id: bigint | null;
  readonly mode: TransferMode;
  readonly rail: string;
  readonly rail_mode: RailMode;
  readonly amount_paise: bigint;
  readonly narrative: string;
};

export function instructionOf(row: InstructionRow): Instruction {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    kind: row.kind,
    referenceId: row.reference_id,
    beneficiaryId: row.beneficiary_id,
    franchiseId: row.franchise_id,
    mode: row.mode,
    rail: row.rail,
    railMode: row.rail_mode,
    amountPaise: row.amount_paise,
    narrative: row.narrative,
  };
}
