// Test events that commands ask for: the server sends them, since only it stands where deliveries go out from.
// What belongs here: finding them and sending each once. How one is sent is in try-endpoint.ts; who asks, in ask-for-test.ts.
import { isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import { findMerchantByKey } from "../merchants/index.ts";
import type { AddressGuard } from "./address.ts";
import type { EndpointKey } from "./endpoint.ts";
import { takeTestRequests } from "./asked-test-store.ts";
import { tryEndpoint } from "./try-endpoint.ts";

const LOOK_MS = 500;
/** So many at once; the others wait for the next look. */
const CONCURRENCY = 4;

export type AskedTestsOptions = { readonly pool: Pool; readonly guard: AddressGuard; readonly logger: Logger };

/** Sends the test events that commands ask for. Of several processes, one takes each. */
export class AskedTests {
  readonly #options: AskedTestsOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: AskedTestsOptions) {
    this.#options = options;
  }

  /** Begins to look for requests. */
  start(): void {
    this.#looking = this.#look()
      .catch((error: unknown) => this.#tell(error, "could not look for webhooks to test"))
      .finally(() => {
        if (!this.#stopping.signal.aborted) this.#timer = setTimeout(() => this.start(), LOOK_MS);
      });
  }

  /** Ends. Exchanges under way are cut off, and logged as such. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(this.#underWay);
  }

  async #look(): Promise<void> {
    const free = CONCURRENCY - this.#underWay.size;
    if (free === 0) return;
    for (const key of await takeTestRequests(this.#options.pool, free)) {
      const work = this.#send(key)
        .catch((error: unknown) => this.#tell(error, "could not send a webhook's test event"))
        .finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
    }
  }

  async #send(key: EndpointKey): Promise<void> {
    const { pool, guard } = this.#options;
    const merchant = (await findMerchantByKey(pool, key))!;
    await tryEndpoint(pool, guard, merchant, key.endpointId, this.#stopping.signal);
  }

  #tell(error: unknown, what: string): void {
    // The database's absence is told by whoever needs it more.
    if (isConnectionLost(error)) this.#options.logger.debug({ err: error }, what);
    else this.#options.logger.error({ err: error }, what);
  }
}
