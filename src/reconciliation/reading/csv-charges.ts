// Charges that a provider's table has in columns beside a payment.
import { signed, type ReadLine } from "./statement.ts";

/**
 * Whether charges beside a payment have left the account with it. Providers' papers leave it open, so the balance tells; if there is
 * none, they have.
 */
export function hasCharges(beforePaise: bigint | null, line: ReadLine, charges: readonly ReadLine[]): boolean {
  if (line.balancePaise === null) return true;
  if (beforePaise === null) return false;
  const charged = charges.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  return beforePaise + signed(line) - charged === line.balancePaise;
}
