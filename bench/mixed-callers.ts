// The merchants of the mixed load: with keys, a token, money, a beneficiary and an invoice, some of them with a
// webhook. Their requests are in soak-load.ts.
import { IdSource } from "../src/platform/database/ids.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { createEndpoint } from "../src/webhooks/index.ts";
import type { Installation } from "./installation.ts";
import { makeMerchants } from "./invoice-merchants.ts";
import { makeCallers, type Caller } from "./subscription-load.ts";
import { WireClient } from "./wire-client.ts";

/** How many of the merchants have a webhook. */
const WEBHOOKS = 2;

/** Makes merchants that can call, some of them with a webhook to a port of this machine. */
export async function prepareCallers(
  installation: Installation,
  pool: Pool,
  count: number,
  webhookPort: number,
): Promise<Omit<Caller, "merchant">[]> {
  const ids = new IdSource(pool);
  const client = new WireClient(installation.baseUrl, 1);
  try {
    const merchants = await makeMerchants(pool, ids, client, count);
    const url = `http://127.0.0.1:${webhookPort}/`;
    for (const { merchant } of merchants.slice(0, WEBHOOKS)) {
      await createEndpoint({ pool, ids, merchant }, { url, description: "", eventTypes: [] });
    }
    const callers = await makeCallers(pool, ids, client, merchants);
    return callers.map(({ keys, token, beneficiaryId, invoiceId }) => ({ keys, token, beneficiaryId, invoiceId }));
  } finally {
    client.close();
  }
}
