// The network of a simulation: calls to the banks and their webhooks are events, which come late, get lost, or arrive
// after the caller has given up.
import type { FastifyInstance } from "fastify";
import type { Dice } from "./dice.ts";
import { type Actor, running, scheduler } from "./scheduler.ts";

/** What goes wrong on the way, in how many of a hundred calls. */
export type Weather = {
  /** No connection comes about: nothing can have arrived. */
  refused: number;
  /** The connection breaks before the call has arrived. */
  lostBefore: number;
  /** It breaks before the answer has arrived. */
  lostAfter: number;
  /** The answer takes longer than anybody waits. */
  silence: number;
  /** The call itself is on its way for so long that its caller may have given up. */
  late: number;
};

export const FAIR: Weather = { refused: 0, lostBefore: 0, lostAfter: 0, silence: 0, late: 0 };

const CALL_MS = 40;
const ANSWER_MS = 60;
const LATE_MS = 90_000;
const SILENCE_MS = 25_000;

type Init = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
};
export type Answer = { readonly status: number; readonly body: string };
/** What an address answers: at once, or later. */
export type Host = (path: string, init: Init) => Promise<Answer>;

/** What the code uses of an answer. */
function responseOf({ status, body }: Answer) {
  const bytes = Buffer.from(body);
  return { status, ok: status >= 200 && status < 300, body: [bytes], arrayBuffer: async () => bytes };
}

function failed(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

export class Network {
  weather: Weather = FAIR;
  /** Until when a server takes no connection, by its origin. */
  readonly #downUntilMs = new Map<string, number>();
  readonly #dice: Dice;
  readonly #hosts = new Map<string, { readonly answersAtOnce: boolean; readonly answer: Host }>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Nobody can connect to a server for a while. */
  breakDown(origin: string, forMs: number): void {
    this.#downUntilMs.set(origin, scheduler().nowMs + forMs);
  }

  /** Adds a server that speaks HTTP without knowing of the simulation. */
  addServer(origin: string, app: FastifyInstance): void {
    const answer: Host = async (path, { method, headers, body }) => {
      const request = { method: (method ?? "GET") as "GET", url: path, headers: headers ?? {}, payload: body ?? "" };
      const given = await running.exit(() => app.inject(request));
      return { status: given.statusCode, body: given.body };
    };
    this.#hosts.set(origin, { answersAtOnce: true, answer });
  }

  /** Adds one whose answers take events. */
  addHost(origin: string, answer: Host): void {
    this.#hosts.set(origin, { answersAtOnce: false, answer });
  }

  /** In the place of `fetch`. */
  readonly fetch = (address: string | URL, init: Init = {}): Promise<ReturnType<typeof responseOf>> => {
    const url = new URL(address);
    const host = this.#hosts.get(url.origin);
    if (!host) return Promise.reject(failed("ECONNREFUSED"));
    const actor = running.getStore();
    const path = url.pathname + url.search;
    if (!actor) return host.answer(path, init).then(responseOf);
    const what = `${init.method ?? "GET"} ${url.host}${withoutIds(path)}`;
    const isDown = (this.#downUntilMs.get(url.origin) ?? 0) > scheduler().nowMs;
    return this.#send(actor, isDown, what, { ...host, answer: () => host.answer(path, init) }, init);
  };

  #send(
    actor: Actor,
    isDown: boolean,
    what: string,
    { answer, answersAtOnce }: { readonly answer: () => Promise<Answer>; readonly answersAtOnce: boolean },
    { signal }: Init,
  ) {
    const { weather } = this;
    const drawn = this.#dice.pickWeighted([
      ...(Object.entries(weather) as [keyof Weather, number][]).map(([kind, percent]) => [percent, kind] as const),
      [100 - Object.values(weather).reduce((sum, percent) => sum + percent, 0), "well"] as const,
    ]);
    const fate = isDown ? "refused" : drawn;
    return new Promise<ReturnType<typeof responseOf>>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      const later = (ms: number, work: () => void): void => void scheduler().add(ms, actor, work);
      const note = (said: string): void => scheduler().note(actor.name, `${what} ${said}`);
      if (fate === "refused" || fate === "lostBefore") {
        note(fate);
        return later(this.#dice.random() * CALL_MS, () =>
          reject(failed(fate === "refused" ? "ECONNREFUSED" : "ECONNRESET")),
        );
      }
      // What is under way arrives, whatever becomes of its caller.
      scheduler().add(this.#dice.random() * (fate === "late" ? LATE_MS : CALL_MS), null, () => {
        const answered = answer().then(
          (given) => {
            note(`${given.status} ${fate === "well" ? "" : fate}`);
            const answerMs = fate === "silence" ? SILENCE_MS : this.#dice.random() * ANSWER_MS;
            later(answerMs, () => (fate === "lostAfter" ? reject(failed("ECONNRESET")) : resolve(responseOf(given))));
          },
          (error: Error) => later(0, () => reject(error)),
        );
        return answersAtOnce ? answered : undefined;
      });
    });
  }
}

/** The ids of accounts in a path are made by chance. */
function withoutIds(path: string): string {
  return path.replaceAll(/n[0-9a-z]{6}_/g, "n_");
}
