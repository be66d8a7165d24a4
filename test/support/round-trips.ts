// Records the round trips of a connection. No assertions.
import type { Duplex } from "node:stream";
import type { OwnedPool } from "../../src/platform/database/pool.ts";

/**
 * What the pool's only connection sends in each round trip: a round trip starts with the first statement after an answer.
 * Named statements are there by their names.
 */
export async function readRoundTrips(pool: OwnedPool, work: () => Promise<unknown>): Promise<string[]> {
  // The connection is there, and knows its statements.
  await work();
  const connection = await pool.connect();
  const { stream } = (connection as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  connection.release();
  const sent: string[] = [];
  let hasAnswered = true;
  const onData = (): void => {
    hasAnswered = true;
  };
  const write = stream.write.bind(stream);
  stream.on("data", onData);
  stream.write = ((...chunk: [string | Buffer, BufferEncoding]) => {
    if (hasAnswered) sent.push("");
    hasAnswered = false;
    sent.push(`${sent.pop()!}${chunk[0].toString()}`);
    return write(...chunk);
  }) as Duplex["write"];
  try {
    await work();
    return sent;
  } finally {
    // The class has its own.
    Reflect.deleteProperty(stream, "write");
    stream.off("data", onData);
  }
}

/** How many there are. */
export async function countRoundTrips(pool: OwnedPool, work: () => Promise<unknown>): Promise<number> {
  return (await readRoundTrips(pool, work)).length;
}
