// `nodal seed`: many funded merchants with a beneficiary each, to try and measure an installation with.
// What belongs here: making them in bulk. What they look like is in samples.ts.
import type { Command } from "commander";
import { insertFundings } from "../ledger/index.ts";
import { money, wholeNumber } from "../platform/http/fields.ts";
import { onPreparedInstallation, type Answer, type Installation } from "./command.ts";
import { createEquippedMerchants } from "./new-merchants.ts";
import { optionsOf, type Values } from "./options.ts";
import { example, formatTable } from "./output.ts";
import { sampleBeneficiary, sampleProfile, saveSampleBeneficiaries } from "./samples.ts";

const MERCHANTS_MAXIMUM = 100_000;
/** So many to a transaction: larger ones gain nothing and hold more in memory. */
const BATCH_SIZE = 1000;

const FIELDS = { merchants: wholeNumber(1, MERCHANTS_MAXIMUM), fund: money() };

type Seeded = {
  readonly merchant_id: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly beneficiary_id: string;
};

/** Adds `seed`. */
export function registerSeed(program: Command): void {
  program
    .command("seed")
    .description("make sample merchants, each funded and with one beneficiary; their secrets are shown only now")
    .option("--merchants <n>", `how many, up to ${MERCHANTS_MAXIMUM}`)
    .option("--fund <rupees>", "balance of each in rupees, such as 100000.00")
    .addHelpText("after", example("nodal seed --merchants 100 --fund 100000.00 --json > merchants.json"))
    .action(onPreparedInstallation(optionsOf(FIELDS), seed));
}

async function seed(installation: Installation, options: Values<typeof FIELDS>): Promise<Answer> {
  const { merchants, fund: amountPaise } = options;
  const seeded: Seeded[] = [];
  while (seeded.length < merchants) {
    const count = Math.min(BATCH_SIZE, merchants - seeded.length);
    seeded.push(...(await seedBatch(installation, seeded.length + 1, count, amountPaise)));
  }
  return { json: seeded, text: formatTable(seeded, "") };
}

/** Makes `count` merchants in one transaction. Nobody else can see their books yet, so they need no lock. */
async function seedBatch(
  { pool, ids }: Installation,
  firstNumber: number,
  count: number,
  amountPaise: bigint,
): Promise<Seeded[]> {
  const profiles = Array.from({ length: count }, (_, index) => {
    const number = firstNumber + index;
    return sampleProfile(`Sample Traders ${number}`, `sample${number}@example.com`);
  });
  const fundingIds: bigint[] = [];
  const beneficiaryIds: bigint[] = [];
  for (const _ of profiles) {
    fundingIds.push(await ids.next());
    beneficiaryIds.push(await ids.next());
  }
  const created = await createEquippedMerchants(pool, ids, profiles, async (connection, merchants) => {
    const fundings = merchants.map(({ bucket, merchantId }, index) => {
      return { bucket, merchantId, fundingId: fundingIds[index]!, amountPaise, reference: "seed" };
    });
    await insertFundings(connection, Temporal.Now.instant(), fundings);
    await saveSampleBeneficiaries(
      connection,
      merchants.map((merchant, index) => sampleBeneficiary(merchant, beneficiaryIds[index]!)),
    );
  });
  return created.map(({ merchant, accessKeyId, secret }, index) => ({
    merchant_id: String(merchant.merchantId),
    access_key_id: accessKeyId,
    secret_access_key: secret,
    beneficiary_id: String(beneficiaryIds[index]),
  }));
}
