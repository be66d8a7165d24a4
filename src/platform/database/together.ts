// Statements that do not wait for each other: on a pipelined connection they leave at once, in one piece.
// What belongs here: sending them. What they say belongs to the stores.
import type { Duplex } from "node:stream";
import type pg from "pg";

type Works = readonly (() => Promise<unknown>)[];
type Answers<W extends Works> = { -readonly [Index in keyof W]: Awaited<ReturnType<W[Index]>> };
/** What the driver has of a connection beside its types. */
type Pipelined = { readonly pipeline?: boolean; readonly connection: { readonly stream: Duplex } };

/**
 * Runs works whose statements need no answers of the works before them, and answers what they answered, in order. The
 * database sees the statements in order; on a pipelined connection no work waits for another, elsewhere they run one
 * after the other.
 * @throws what the first of them failed with, once all have ended: in a transaction, the others then fail of that
 */
export async function together<const W extends Works>(connection: pg.PoolClient, ...works: W): Promise<Answers<W>> {
  const { pipeline, connection: wire } = connection as unknown as Pipelined;
  const answers: unknown[] = [];
  if (!pipeline) {
    for (const work of works) answers.push(await work());
    return answers as Answers<W>;
  }
  // One write for all of them: each costs a call of the system, and may wake the database for nothing more.
  wire.stream.cork();
  const underWay = works.map((work) => work());
  process.nextTick(() => wire.stream.uncork());
  for (const ended of await Promise.allSettled(underWay)) {
    if (ended.status === "rejected") throw ended.reason;
    answers.push(ended.value);
  }
  return answers as Answers<W>;
}
