// How many requests the dashboard's API takes: of a session, of all sessions of a merchant, and of who has none.
// What belongs here: the counts, over all processes. They are generous: pages make many requests, programs have keys.
import { networkOf } from "../platform/http/client-address.ts";
import { rateLimited, type RateWindow, type Taken } from "../platform/rates/rate-window.ts";
import type { Session } from "../merchants/index.ts";

/** All sessions of a merchant together may make so many times what one may. */
const MERCHANT_SHARE = 10;

export class RequestRate {
  readonly #rates: RateWindow;
  readonly #perMinute: number;

  /** @param rates counts over a minute */
  constructor(perMinute: number, rates: RateWindow) {
    this.#rates = rates;
    this.#perMinute = perMinute;
  }

  /**
   * Looks a session up by `find`. What finds none counts for the address that it comes from.
   * @throws NodalError `rate_limited`, for an address before anything is looked up
   */
  async findSession(address: string, find: () => Promise<Session | null>): Promise<Session | null> {
    const taken = await this.#take(`dashboard address ${networkOf(address)}`, this.#perMinute);
    const session = await find();
    if (session) taken.giveBack();
    return session;
  }

  /**
   * Counts a request of a session.
   * @throws NodalError `rate_limited`
   */
  async count({ sessionId, login }: Pick<Session, "sessionId" | "login">): Promise<void> {
    // What is refused to a session must not use up what its merchant's others have.
    await this.#take(`dashboard session ${sessionId}`, this.#perMinute);
    // Operators look after all merchants, and are few.
    if (login.kind === "operator") return;
    await this.#take(`dashboard merchant ${login.merchantId}`, MERCHANT_SHARE * this.#perMinute);
  }

  async #take(key: string, limit: number): Promise<Taken> {
    const rate = await this.#rates.take(key, limit);
    if (!rate.allowed) throw rateLimited(rate);
    return rate;
  }
}
