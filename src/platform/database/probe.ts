// A connection to one host of a database, only to check its state.
import pg from "pg";

const STATE = `select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as read_only,
  case when not pg_is_in_recovery() then
    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint::text
  end as timeline`;

/** A host's state: a primary with its timeline, which a promotion raises, or a description of anything else. */
export type Found = { readonly url: string; readonly timeline: bigint } | string;

/** A connection to one host, only to check its state. */
export class Probe {
  readonly #url: string;
  readonly #patienceMs: number;
  #client: pg.Client | null = null;
  /** How often it was closed. */
  #closings = 0;

  /** @param patienceMs a host that takes longer counts as down */
  constructor(url: string, patienceMs: number) {
    this.#url = url;
    this.#patienceMs = patienceMs;
  }

  async ask(): Promise<Found> {
    try {
      const { rows } = await (
        await this.#connect()
      ).query<{ standby: boolean; read_only: boolean; timeline: string }>(STATE);
      const { standby, read_only: readOnly, timeline } = rows[0]!;
      if (standby) return `${this.#name} is a standby`;
      if (readOnly) {
        // Only new connections see that a user may write again.
        this.close();
        return `${this.#name} is read-only`;
      }
      return { url: this.#url, timeline: BigInt(timeline) };
    } catch (error) {
      this.close();
      return `${this.#name}: ${(error as Error).message || (error as NodeJS.ErrnoException).code}`;
    }
  }

  /** Does it answer at all? A refusal for too many connections counts too. */
  async answers(): Promise<boolean> {
    try {
      await (await this.#connect()).query("select 1");
      return true;
    } catch (error) {
      this.close();
      return error instanceof pg.DatabaseError;
    }
  }

  close(): void {
    this.#closings += 1;
    const client = this.#client;
    this.#client = null;
    // A host that does not answer would not answer the end either, and must not keep the process alive.
    (client as (pg.Client & { unref(): void }) | null)?.unref();
    client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const closings = this.#closings;
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: this.#patienceMs,
      query_timeout: this.#patienceMs,
      application_name: "nodal looks after the database",
    });
    client.on("error", () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    // It is no longer wanted, and nobody else would close it.
    if (closings !== this.#closings) client.end().catch(() => {});
    else this.#client = client;
    return client;
  }

  get #name(): string {
    return new URL(this.#url).host;
  }
}
