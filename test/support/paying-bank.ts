// A bank in memory, for tests of the requests sent to it.
import { Rails } from "../../src/payouts/providers/rails.ts";
import type { Pool } from "../../src/platform/database/pool.ts";
import type { PaymentInstruction, PaymentReference, PaymentReport, Rail } from "../../src/payouts/rails/rail.ts";
import { SIMULATOR } from "../../src/payouts/rails/simulator.ts";
import { reportOn } from "./ledger.ts";

/** A bank that pays every request, and knows nothing else. */
export class PayingBank implements Rail {
  readonly name = SIMULATOR;
  readonly #paid: PaymentInstruction[] = [];

  async submit(instruction: PaymentInstruction) {
    this.#paid.push(instruction);
    return { ...reportOn(instruction, "SUCCESS"), status: "SUCCESS" } as const;
  }

  async status(_reference: PaymentReference): Promise<PaymentReport | null> {
    return null;
  }

  start(): void {}

  async stop(): Promise<void> {}

  /** Use it in place of the simulated bank. */
  inPlace(db: Pool): Rails {
    return new Rails(db, this, 1000);
  }

  /** Other tests may have left transfers of other merchants in the queue. */
  paidOf({ merchantId }: { readonly merchantId: bigint }) {
    const paid = this.#paid.filter((instruction) => instruction.merchantId === merchantId);
    return paid.map(({ transferId, payee }) => ({ transferId, payee }));
  }
}
