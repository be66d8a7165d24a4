// A client of the API for benchmarks: requests with keys in their body, over connections that stay open. What is asked,
// and which answers are good, is the benchmark's.
import { Agent, request } from "node:http";
import type { LoadResult, Phase } from "./load.ts";

export type TimedAnswer = { readonly status: number; readonly bytes: Buffer; readonly latencyMs: number };

/** One request; `isGood` says whether its answer is what it should be. */
export type WireRequest = {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** Of the access token, where the route takes one. */
  readonly token?: string;
  readonly isGood: (answer: TimedAnswer) => boolean;
};

const QUOTED_BYTES = 300;

export class WireClient {
  readonly #baseUrl: string;
  readonly #agent: Agent;

  constructor(baseUrl: string, connections: number) {
    this.#baseUrl = baseUrl;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends a request and reads the whole answer. */
  send({ method, path, body, token }: Omit<WireRequest, "isGood">): Promise<TimedAnswer> {
    const headers = {
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return new Promise((resolve, reject) => {
      const startedAtMs = performance.now();
      const sent = request(`${this.#baseUrl}${path}`, { agent: this.#agent, method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const latencyMs = performance.now() - startedAtMs;
          resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(chunks), latencyMs });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Sends a request and records in the phase how it went. */
  async record(phase: Phase, wireRequest: WireRequest): Promise<TimedAnswer | null> {
    try {
      const answer = await this.send(wireRequest);
      if (wireRequest.isGood(answer)) phase.succeeded(answer.latencyMs);
      else phase.failed(`${wireRequest.path}: ${answer.status} ${answer.bytes.toString("utf8", 0, QUOTED_BYTES)}`);
      return answer;
    } catch (error) {
      phase.failed(`${wireRequest.path}: ${(error as Error).message}`);
      return null;
    }
  }

  /** Keeps `connections` requests under way until the phase is over or there is no next one. */
  async run(phase: Phase, connections: number, next: () => WireRequest | null): Promise<LoadResult> {
    const lane = async (): Promise<void> => {
      while (!phase.isOver) {
        const wireRequest = next();
        if (wireRequest === null) return;
        await this.record(phase, wireRequest);
      }
    };
    await Promise.all(Array.from({ length: connections }, lane));
    return phase.finish();
  }

  close(): void {
    this.#agent.destroy();
  }
}
