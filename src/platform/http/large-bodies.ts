import { Gate } from "../gate.ts";

/** Beyond this, bodies are parsed one at a time, owners by turns. */
export const LARGE_BYTES = 128 * 1024;
/** How many times as long as a large body took to parse the next one waits: its values are checked, and others are served. */
const REST_FACTOR = 3;

const parsing = new Gate({
  atOnce: 1,
  maxWaiting: 200,
  maxWaitingPerKey: 20,
  waitMs: 20_000,
  refusal: "Too many large requests are in progress. Send this one again in a few seconds, or split it.",
});

/**
 * Parses a large body when it is the turn of its owner. It takes the event loop for a tenth of a second: between two of them
 * there is time for everybody else.
 * @throws as `parse` does; NodalError `unavailable` where too many wait
 */
export async function parseInTurn(owner: string, parse: () => object): Promise<object> {
  const leave = await parsing.enter(owner);
  const startedAtMs = performance.now();
  try {
    return parse();
  } finally {
    setTimeout(leave, REST_FACTOR * (performance.now() - startedAtMs));
  }
}
