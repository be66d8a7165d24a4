// Counting the round trips of a connection. No assertion.
import type { Duplex } from "node:stream";
import type { OwnedPool } from "../../src/platform/database/pool.ts";

/** How often the pool's only connection sends something after it has heard an answer: once for each round trip. */
export async function countRoundTrips(pool: OwnedPool, work: () => Promise<unknown>): Promise<number> {
  // The connection is there, and knows its statements.
  await work();
  const connection = await pool.connect();
  const { stream } = (connection as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  connection.release();
  let count = 0;
  let hasAnswered = true;
  const onData = (): void => {
    hasAnswered = true;
  };
  const write = stream.write.bind(stream);
  stream.on("data", onData);
  stream.write = ((...chunk: [string, BufferEncoding]) => {
    if (hasAnswered) count += 1;
    hasAnswered = false;
    return write(...chunk);
  }) as Duplex["write"];
  try {
    await work();
    return count;
  } finally {
    // The class has its own.
    Reflect.deleteProperty(stream, "write");
    stream.off("data", onData);
  }
}
