// Stand-ins of providers for tests that need no server of Nodal's: payments settle when the test says so. No assertion.
import { cashfree, verificationKeys } from "../../stand-ins/cashfree.ts";
import { razorpayx, SOURCE_ACCOUNT } from "../../stand-ins/razorpayx.ts";
import { startStandIn, type StandIn } from "../../stand-ins/stand-in.ts";
import type { Merchant } from "../../src/merchants/index.ts";
import { connectProvider, type ProviderAccount } from "../../src/payouts/index.ts";
import { railName } from "../../src/payouts/providers/provider-account.ts";
import type { IdSource } from "../../src/platform/database/ids.ts";
import type { Pool } from "../../src/platform/database/pool.ts";
import { makeLiveMerchants, type LedgerDatabase } from "./ledger.ts";
import { changeMerchants } from "./reprove.ts";

export const CREDENTIALS = { id: "key", secret: "a-secret", noticeSecret: "whsec" };
const LONG_MS = 1_000_000_000;

/** The fields that RazorpayX needs besides key id and secret, and Cashfree doesn't. */
export function ownCredentials(provider: string, webhookSecret: string) {
  return provider === "razorpayx" ? { webhookSecret, sourceAccount: SOURCE_ACCOUNT } : {};
}

/** Connects a stand-in for a merchant, or for the installation: each with its own key by default. */
export function connectStandIn(
  { pool, ids }: { readonly pool: Pool; readonly ids: IdSource },
  { name: provider, url: baseUrl }: StandIn,
  merchant: { readonly merchantId: bigint } | null,
  {
    modes = null,
    credentials = CREDENTIALS,
    fundSource = null,
    keyId = merchant === null ? credentials.id : `${credentials.id}.${merchant.merchantId}`,
  }: { modes?: string | null; credentials?: typeof CREDENTIALS; fundSource?: string | null; keyId?: string } = {},
): Promise<{ readonly account: ProviderAccount }> {
  const { secret, noticeSecret } = credentials;
  const said = { provider, baseUrl, keyId, secret, modes, ...ownCredentials(provider, noticeSecret) };
  const { id: verifyKeyId, secret: verifySecret } = verificationKeys(credentials);
  const options = provider === "cashfree" ? { verifyKeyId, verifySecret, fundSource } : {};
  return connectProvider({ pool, ids, merchant }, { ...said, ...options });
}

/** The one live merchant of a database, whose money leaves over a stand-in of its own. */
export async function openLivePayer(db: LedgerDatabase, name: "cashfree" | "razorpayx", fundsPaise: bigint) {
  const bank = await openStandIn(name);
  // The earlier stand-ins are gone.
  await changeMerchants(db.owner, "update merchant set live = false");
  await db.owner.query("delete from payment_review");
  const [merchant] = (await makeLiveMerchants(db, 1, fundsPaise)) as [Merchant];
  const { account } = await connectStandIn({ pool: db.server, ids: db.ids }, bank, merchant);
  return { bank, merchant, account, rail: railName(account) };
}

/** Starts one with enough money, which sends no webhooks. */
export async function openStandIn(name: "cashfree" | "razorpayx"): Promise<StandIn> {
  const standIn = await startStandIn({ cashfree, razorpayx }[name], {
    port: 0,
    file: ":memory:",
    credentials: { ...CREDENTIALS },
    noticeUrl: null,
    settleMs: LONG_MS,
    callsPerSecond: null,
    random: Math.random,
  });
  standIn.desk.book.fund(10n ** 12n);
  return standIn;
}
