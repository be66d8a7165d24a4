// Every command of receipts and of their TDS that changes something, with the entries that it leaves in the audit log. No assertion.
import type { Pool } from "../../src/platform/database/pool.ts";

type Run = (name: string, types: readonly string[], ...options: string[]) => Promise<{ readonly subject_id: string }[]>;

/** Runs them for the customer of an invoice on which at least 10.00 is due. */
export async function runReceiptCommands(run: Run, pool: Pool, invoice: string): Promise<void> {
  const { rows } = await pool.query<{ code: string }>(
    `select customer_code as code from customer join invoice using (bucket, merchant_id, customer_id) where invoice_id = $1`,
    [BigInt(invoice.slice(1))],
  );
  const money = ["--amount", "30.00", "--date", Temporal.Now.plainDateISO().toString(), "--mode", "Cash"];
  const advance = ["--customer", rows[0]!.code, ...money, "--advance"];
  const record = async (): Promise<string[]> => {
    const [recorded] = await run("receipt create", ["receipt.recorded"], ...advance);
    return ["--receipt", recorded!.subject_id];
  };
  const used = await record();
  const types = ["invoice.partially_paid", "settlement.recorded"];
  await run("receipt allocate", types, ...used, "--allocate", `${invoice}=10.00`);
  const reversed = ["receipt.reversed", "settlement.reversed", "invoice.reopened"];
  await run("receipt reverse", reversed, ...used, "--reason", "bounced");
  await run("receipt refund", ["receipt_refund.recorded"], ...(await record()), ...money);
  const [deducted] = await run("receipt create", ["receipt.recorded"], ...advance, "--tds-amount", "2.00");
  const claim = ["--claim", deducted!.subject_id];
  await run("tds certificate", ["tds_claim.certified"], ...claim, "--number", "ABCDEFG");
  const again = ["receipt.recorded", "receipt.reversed", "tds_claim.put_back"];
  await run("tds put-back", again, ...claim, "--reason", "Not in Form 26AS");
}
