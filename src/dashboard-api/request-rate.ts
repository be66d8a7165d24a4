// How many requests the dashboard's API takes: of a session, of all sessions of a merchant, and of who has none.
// What belongs here: the counts, in this process's memory. They are generous: pages make many requests, programs have keys.
import { networkOf } from "../platform/http/client-address.ts";
import { rateLimited, SlidingWindow } from "../platform/sliding-window.ts";
import type { Session } from "../merchants/index.ts";

/** All sessions of a merchant together may make so many times what one may. */
const MERCHANT_SHARE = 10;

export class RequestRate {
  readonly #window: SlidingWindow;
  readonly #perMinute: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(perMinute: number, now?: () => number) {
    this.#window = new SlidingWindow(now);
    this.#perMinute = perMinute;
  }

  /**
   * Looks a session up by `find`. What finds none counts for the address that it comes from.
   * @throws NodalError `rate_limited`, for an address before anything is looked up
   */
  async findSession(address: string, find: () => Promise<Session | null>): Promise<Session | null> {
    const key = `address ${networkOf(address)}`;
    this.#take(key, this.#perMinute);
    const session = await find();
    if (session) this.#window.giveBack(key);
    return session;
  }

  /**
   * Counts a request of a session.
   * @throws NodalError `rate_limited`
   */
  count({ sessionId, login }: Pick<Session, "sessionId" | "login">): void {
    this.#take(`session ${sessionId}`, this.#perMinute);
    // Operators look after all merchants, and are few.
    if (login.kind !== "operator") this.#take(`merchant ${login.merchantId}`, MERCHANT_SHARE * this.#perMinute);
  }

  #take(key: string, limit: number): void {
    const rate = this.#window.take(key, limit);
    if (!rate.allowed) throw rateLimited(rate);
  }
}
