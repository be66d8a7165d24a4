// One generated request: what is sent byte by byte, and how it is told to a person. What it is made of is chosen in
// odd-requests.ts.
import fc from "fast-check";
import { exchange, type Exchange } from "./raw-http.ts";

export type Header = readonly [name: string, value: string];

/** How the end of the body is announced, and whether it arrives as announced. */
export const FRAMINGS = [
  "length",
  "chunked",
  "slow",
  "ended early",
  "length too small",
  "length and chunks",
  "broken chunks",
  "broken length",
  "no length",
] as const;
export type Framing = (typeof FRAMINGS)[number];

/** Framings by which a body arrives as it was announced. */
const SOUND_FRAMINGS: readonly Framing[] = ["length", "chunked", "slow"];
const SLOW_PAUSE_MS = 15;
const SHOWN_LENGTH = 1500;
const LONGEST_CHUNKED_BYTES = 64 * 1024;

export type RequestParts = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
  readonly framing: Framing;
};

/** A request as it goes over the wire. */
export class FuzzRequest {
  readonly parts: RequestParts;

  constructor(parts: RequestParts) {
    this.parts = parts;
  }

  /** Whether the server can tell where the request ends: then it must answer, whatever else is wrong. */
  get mustBeAnswered(): boolean {
    const { method, framing, body } = this.parts;
    // A long body without a length is cut off: who is still writing then may miss the answer.
    const isCutOff = framing === "chunked" && body !== null && body.length > LONGEST_CHUNKED_BYTES;
    // The tunnel that CONNECT asks for is refused by closing.
    return SOUND_FRAMINGS.includes(framing) && !isCutOff && method !== "CONNECT";
  }

  /** Sends it on a connection of its own. */
  send(port: number): Promise<Exchange> {
    const { method, body, framing } = this.parts;
    return exchange(port, this.#chunks(), {
      replies: 1,
      isHead: method === "HEAD",
      // A client that ends a request early must not be waited for.
      endsAfter: !SOUND_FRAMINGS.includes(framing) && body !== null,
      ...(framing === "slow" ? { pauseMs: SLOW_PAUSE_MS } : {}),
    });
  }

  /** What fast-check prints of it. */
  [fc.toStringMethod](): string {
    const { framing, body } = this.parts;
    const text = body === null ? "(no body)" : JSON.stringify(body.toString(isText(body) ? "utf8" : "latin1"));
    return `${JSON.stringify(shorten(this.#head()))} body (${framing}): ${shorten(text)}`;
  }

  #head(): string {
    const { method, target, headers } = this.parts;
    const lines = [...headers, ...this.#framingHeaders()].map(([name, value]) => `${name}: ${value}`);
    return `${[`${method} ${target} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
  }

  #framingHeaders(): Header[] {
    const { body, framing } = this.parts;
    if (body === null) return [];
    const length: Header = ["Content-Length", String(body.length)];
    const chunked: Header = ["Transfer-Encoding", "chunked"];
    switch (framing) {
      case "length":
      case "slow":
      case "ended early":
        return [length];
      case "length too small":
        return [["Content-Length", String(Math.floor(body.length / 2))]];
      case "chunked":
      case "broken chunks":
        return [chunked];
      case "length and chunks":
        return [length, chunked];
      case "broken length":
        return [["Content-Length", `${body.length}, 5`]];
      case "no length":
        return [];
    }
  }

  #chunks(): Buffer[] {
    const { body, framing } = this.parts;
    const head = Buffer.from(this.#head(), "latin1");
    if (body === null) return [head];
    const half = Math.floor(body.length / 2);
    switch (framing) {
      case "ended early":
        return [head, body.subarray(0, half)];
      case "slow":
        return [head, body.subarray(0, half), body.subarray(half)];
      case "chunked":
      case "length and chunks":
        return [head, chunk(body.subarray(0, half)), chunk(body.subarray(half)), Buffer.from("0\r\n\r\n")];
      case "broken chunks":
        return [head, chunk(body.subarray(0, half)), Buffer.from("xyz\r\n"), body];
      case "length":
      case "length too small":
      case "broken length":
      case "no length":
        return [head, body];
    }
  }
}

function chunk(bytes: Buffer): Buffer {
  // An empty chunk would end the body.
  if (bytes.length === 0) return Buffer.alloc(0);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

function isText(body: Buffer): boolean {
  return Buffer.from(body.toString("utf8")).equals(body);
}

function shorten(whole: string): string {
  const text = whole.replaceAll(/(.)\1{99,}/gs, (run, one: string) => `${one}{${run.length}}`);
  if (text.length <= SHOWN_LENGTH) return text;
  const [start, end] = [text.slice(0, SHOWN_LENGTH / 2), text.slice(-SHOWN_LENGTH / 2)];
  return `${start} … (${text.length - SHOWN_LENGTH} more) … ${end}`;
}
