import { forgetEndedLinks, forgetEndedSessions, forgetKeys } from "../merchants/index.ts";
import { forgetMessageDays } from "../notifications/index.ts";
import { forgetDowntimes } from "../payouts/index.ts";
import { forgetNotices } from "../platform/providers/notice-store.ts";
import type { Pool } from "../platform/database/pool.ts";

/** docs/rules/access.md#idempotency-key */
const IDEMPOTENCY_KEYS_KEPT_HOURS = 30 * 24;
/** Providers retry a webhook for a day. */
const PROVIDER_NOTICES_KEPT_HOURS = 7 * 24;

/** Deletes expired rows of all merchants: idempotency keys, sessions, links, counts and notices. */
export async function deleteExpired(pool: Pool): Promise<void> {
  const now = Temporal.Now.instant();
  await forgetKeys(pool, now.subtract({ hours: IDEMPOTENCY_KEYS_KEPT_HOURS }));
  await forgetEndedSessions(pool);
  await forgetEndedLinks(pool);
  await forgetMessageDays(pool);
  await forgetNotices(pool, now.subtract({ hours: PROVIDER_NOTICES_KEPT_HOURS }));
  await forgetDowntimes(pool, now.subtract({ hours: PROVIDER_NOTICES_KEPT_HOURS }));
}
