// Proof that the server read a line of a statement from a file: a keyed hash.
import type { Secrets } from "../platform/secrets/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { ReadLine } from "./reading/statement.ts";

/** What is proved of a line. */
type ProvedLine = MerchantKey &
  Pick<ReadLine, "fileLine" | "bookedOn" | "side" | "amountPaise" | "reference" | "balancePaise"> & {
    readonly lineId: bigint;
    readonly accountId: bigint;
    readonly importId: bigint;
    readonly narration: string | null;
    readonly copyNo: number;
    readonly keys: string;
    readonly paymentOf: bigint | null;
    readonly isCharge: boolean;
  };

/** The proof of a line: what the file says of it, and what was read of that. Whether it is matched changes later. */
export function proveLine(secrets: Secrets, line: ProvedLine): Buffer {
  const { bucket, merchantId, lineId, accountId, importId, fileLine, bookedOn, side, amountPaise, reference } = line;
  const { narration, balancePaise, copyNo, keys, paymentOf, isCharge } = line;
  const ids = [bucket, merchantId, lineId, accountId, importId, fileLine, copyNo, paymentOf];
  const said = [bookedOn, side, amountPaise, reference, narration, balancePaise, keys, isCharge];
  return secrets.mac(
    "statement_line.proof",
    [...ids, ...said].map((value) => (value === null ? "" : String(value))),
  );
}
