// Reads that may be some seconds old: from a standby if one keeps up, else from the primary. Routes decide to use it,
// but never for data that a decision depends on.
import type { OwnedPool, Pool } from "./pool.ts";
import { TenantDatabase } from "./tenant.ts";

const LOOK_MS = 1000;
/** Changes are reported after this many equal checks, since a single check may be slow. */
const REPORTED_AFTER_CHECKS = 5;

/** Called when reports have moved to the other database for some seconds, with the error of the last check, if any. */
type OnChange = (keepsUp: boolean, error: unknown) => void;

/** Merchants' rows for reports: no older than two or three seconds. */
export class Reports {
  readonly #primary: { readonly pool: Pool; readonly tenants: TenantDatabase };
  readonly #replica: { readonly pool: OwnedPool; readonly tenants: TenantDatabase } | null;
  readonly #timer: NodeJS.Timeout | null;
  readonly #onChange: OnChange;
  #keepsUp = false;
  /** The last reported state; `null` before the first report. */
  #told: boolean | null = null;
  /** The number of equal checks in a row. */
  #alike = 0;
  #hasStopped = false;
  #isLooking = false;
  /** The primary's WAL position at the last check. */
  #position: string | null = null;

  /** @param replicaPool connections of the role `nodal_tenant` to a standby, pipelined; ended by `stop` */
  constructor(
    primary: { readonly pool: Pool; readonly tenants: TenantDatabase },
    replicaPool: OwnedPool | null,
    onChange: OnChange,
  ) {
    this.#primary = primary;
    this.#onChange = onChange;
    this.#replica = replicaPool && { pool: replicaPool, tenants: new TenantDatabase(replicaPool) };
    this.#timer = this.#replica && setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  /** A read-only pool for a merchant's reports. */
  of(merchant: { readonly merchantId: bigint }): Pool {
    return (this.#keepsUp && this.#replica ? this.#replica : this.#primary).tenants.of(merchant);
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#replica?.pool.end();
  }

  /**
   * Has the standby reached the primary's position at the last check? A standby that does not answer before the next
   * check has not.
   */
  async #look(): Promise<void> {
    if (this.#isLooking) return this.#found(false);
    this.#isLooking = true;
    try {
      const before = this.#position;
      const { rows } = await this.#primary.pool.query<{ position: string }>(
        "select pg_current_wal_lsn()::text as position",
      );
      this.#position = rows[0]!.position;
      if (before !== null) this.#found(await this.#hasReplayed(before));
    } catch (error) {
      this.#found(false, error);
    } finally {
      this.#isLooking = false;
    }
  }

  #found(keepsUp: boolean, error: unknown = null): void {
    this.#alike = keepsUp === this.#keepsUp ? this.#alike + 1 : 1;
    this.#keepsUp = keepsUp;
    if (this.#hasStopped || this.#told === keepsUp || this.#alike < REPORTED_AFTER_CHECKS) return;
    this.#told = keepsUp;
    this.#onChange(keepsUp, error);
  }

  async #hasReplayed(position: string): Promise<boolean> {
    const { rows } = await this.#replica!.pool.query<{ replayed: boolean }>(
      "select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as replayed",
      [position],
    );
    return rows[0]!.replayed;
  }
}
