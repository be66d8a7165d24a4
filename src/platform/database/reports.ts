// Reads of what may be some seconds old: over a standby that keeps up, where there is one, and else over the primary.
// What may be read so is for routes to say: never what decides anything.
import type { OwnedPool, Pool } from "./pool.ts";
import { TenantDatabase } from "./tenant.ts";

const LOOK_MS = 1000;
/** So many looks in a row that find the same are told of: a look now and then takes long. */
const REPORTED_AFTER_CHECKS = 5;

/** Told when reports have come from the other of the two for some seconds, with an error where the last look met one. */
type OnChange = (keepsUp: boolean, error: unknown) => void;

/** Merchants' rows for reports: no older than two or three seconds. */
export class Reports {
  readonly #primary: { readonly pool: Pool; readonly tenants: TenantDatabase };
  readonly #replica: { readonly pool: OwnedPool; readonly tenants: TenantDatabase } | null;
  readonly #timer: NodeJS.Timeout | null;
  readonly #onChange: OnChange;
  #keepsUp = false;
  /** What was told last; `null` before anything was. */
  #told: boolean | null = null;
  /** How many looks in a row have found what the last one did. */
  #alike = 0;
  #hasStopped = false;
  #isLooking = false;
  /** Where the primary was at the last look. */
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

  /** What a merchant's report is read with. It can write nothing. */
  of(merchant: { readonly merchantId: bigint }): Pool {
    return (this.#keepsUp && this.#replica ? this.#replica : this.#primary).tenants.of(merchant);
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#replica?.pool.end();
  }

  /** Whether the standby has by now what the primary had at the look before. One that does not answer until the next does not. */
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
