// `nodal seed`: many funded merchants with a beneficiary each, for trials and benchmarks.
import { prepareDatabase } from "../database.ts";
import { createSamples } from "../installation/index.ts";
import { money, wholeNumber } from "../platform/http/fields.ts";
import { installationCommand, option } from "./command.ts";
import { listAnswer } from "./output.ts";

const MERCHANTS_MAXIMUM = 100_000;

export const seed = installationCommand(
  {
    description: "create sample merchants, each funded and with one beneficiary; their secrets are shown only once",
    example: "nodal seed --merchants 100 --fund 100000.00 --json > merchants.json",
    options: {
      merchants: option("<n>", `how many, up to ${MERCHANTS_MAXIMUM}`, wholeNumber(1, MERCHANTS_MAXIMUM)),
      fund: option("<rupees>", "balance of each in rupees, such as 100000.00", money()),
    },
    async run(installation, { merchants: count, fund: amountPaise }) {
      const made = await createSamples(installation, { count, amountPaise });
      const records = made.map(({ merchant, accessKeyId, secret, beneficiaryId }) => ({
        merchant_id: String(merchant.merchantId),
        access_key_id: accessKeyId,
        secret_access_key: secret,
        beneficiary_id: String(beneficiaryId),
      }));
      return listAnswer(records, "");
    },
  },
  (config, logger) => prepareDatabase(config, "command", logger),
);
