// HTTP as bytes on a socket: what no well-behaved client would send, and exactly what comes back. No judgement.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the server itself waits for a request that does not arrive, and than a slow machine needs for any answer. */
const DEADLINE_MS = 120_000;
/** Written in one go: a peer that stops reading would block a larger piece for good. */
const PIECE_BYTES = 64 * 1024;

export type Reply = {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
};

export type Exchange = {
  readonly replies: readonly Reply[];
  /** Whether the server ended the connection. */
  readonly isClosed: boolean;
  /** Whether neither happened by the deadline. */
  readonly isHung: boolean;
};

export type ExchangeOptions = {
  /** The replies to wait for; without it, until the server closes. */
  readonly replies?: number;
  /** Between two chunks. */
  readonly pauseMs?: number;
  /** Whether our side of the connection is ended after the last chunk. */
  readonly endsAfter?: boolean;
  /** Whether replies have no body although they announce one, as those to HEAD. */
  readonly isHead?: boolean;
  readonly deadlineMs?: number;
};

/** Sends the chunks on a connection of their own and answers what comes back. Never throws. */
export async function exchange(
  port: number,
  chunks: readonly Uint8Array[],
  options: ExchangeOptions = {},
): Promise<Exchange> {
  const { replies: wanted = Infinity, isHead = false, deadlineMs = DEADLINE_MS } = options;
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const received: Buffer[] = [];
  let replies: Reply[] = [];
  const outcome = new Promise<"closed" | "answered">((resolve) => {
    socket.on("data", (data) => {
      received.push(Buffer.from(data));
      replies = readReplies(Buffer.concat(received), isHead);
      if (replies.length >= wanted) resolve("answered");
    });
    // A connection that breaks has ended too; what arrived before counts.
    socket.on("error", () => resolve("closed"));
    socket.on("close", () => resolve("closed"));
  });
  void write(socket, chunks, options);
  const timeout = new AbortController();
  const late = sleep(deadlineMs, "hung" as const, { signal: timeout.signal }).catch(() => "hung" as const);
  const ending = await Promise.race([outcome, late]);
  timeout.abort();
  socket.destroy();
  return { replies, isClosed: ending === "closed", isHung: ending === "hung" };
}

async function write(socket: Socket, chunks: readonly Uint8Array[], options: ExchangeOptions): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && options.pauseMs !== undefined) await sleep(options.pauseMs);
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      if (socket.destroyed || !socket.writable) return;
      if (!socket.write(chunk.subarray(at, at + PIECE_BYTES))) await drained(socket);
    }
  }
  if (options.endsAfter) socket.end();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve);
    socket.once("close", resolve);
  });
}

/** The replies that have arrived whole, without interim ones. */
function readReplies(bytes: Buffer, isHead: boolean): Reply[] {
  const replies: Reply[] = [];
  for (let rest = bytes; ;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return replies;
    const [statusLine = "", ...lines] = rest.toString("latin1", 0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(statusLine)?.[1] ?? NaN);
    const headers = new Map(lines.map(readHeader));
    const isBare = isHead || status < 200 || status === 204 || status === 304;
    const body = isBare ? { bytes: Buffer.alloc(0), end: end + 4 } : readBody(rest, end + 4, headers);
    if (body === null) return replies;
    if (status >= 200 || Number.isNaN(status)) replies.push({ status, headers, body: body.bytes });
    rest = rest.subarray(body.end);
  }
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function readBody(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
): { bytes: Buffer; end: number } | null {
  if (headers.get("transfer-encoding") === "chunked") return readChunks(bytes, start);
  const end = start + Number(headers.get("content-length") ?? 0);
  return bytes.length < end ? null : { bytes: bytes.subarray(start, end), end };
}

function readChunks(bytes: Buffer, start: number): { bytes: Buffer; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { bytes: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
