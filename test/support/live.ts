// A merchant with real money and a connected provider, and the requirements of going live. No assertions.
import { auditChange, recordEvents } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { recordLogin } from "../../src/merchants/users/login-events.ts";
import { confirmTotp, keepTotpSecret, removeTotp } from "../../src/merchants/users/login-store.ts";
import type { LoginKey } from "../../src/merchants/users/login.ts";
import { newTotpSecret } from "../../src/merchants/users/totp.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";
import { AuthenticatorApp } from "./dashboard.ts";
import { changeMerchants } from "./reprove.ts";

/** Makes a sandbox merchant live with all its data: only tests can do that. */
export async function takeLive(pool: Pool, merchantId: bigint): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const before = await requireMerchant(connection, merchantId, true);
    const after = { ...before, live: true, clockDate: null };
    await changeMerchants(connection, "update merchant set live = true, clock_date = null where merchant_id = $1", [
      merchantId,
    ]);
    const change = auditChange(before, after);
    // A merchant is live only by its creation.
    const types = ["merchant.changed", "merchant.created"];
    await recordEvents(
      connection,
      before,
      types.map((type) => ({ type, subjectId: merchantId, ...change })),
    );
  });
}

/** Gives a login a confirmed second factor. Returns its app. */
export async function giveSecondFactor(pool: Pool, login: LoginKey): Promise<AuthenticatorApp> {
  const secret = newTotpSecret();
  await inTransaction(pool, async (connection) => {
    await keepTotpSecret(connection, login, secret);
    await confirmTotp(connection, login, 0n);
    await recordLogin(connection, login, "second_factor_enabled");
  });
  return new AuthenticatorApp(secret);
}

/** The same, replacing the existing one: an app shows few codes in half a minute, and each can be used once. */
export async function replaceSecondFactor(pool: Pool, login: LoginKey): Promise<AuthenticatorApp> {
  await inTransaction(pool, async (connection) => {
    await removeTotp(connection, login);
    await recordLogin(connection, login, "second_factor_disabled");
  });
  return giveSecondFactor(pool, login);
}
