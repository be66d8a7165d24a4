import { Gate } from "../gate.ts";

/** Larger bodies are parsed one at a time, and owners take turns. */
export const LARGE_BYTES = 128 * 1024;
/** The pause after a large body, as a multiple of its parsing time: its values are checked, and others are served. */
const REST_FACTOR = 3;

const parsing = new Gate({
  atOnce: 1,
  maxWaiting: 200,
  maxWaitingPerKey: 20,
  waitMs: 20_000,
  refusal: "Too many large requests are in progress. Send this one again in a few seconds, or split it.",
});

/**
 * Parses a large body in its owner's turn. Each blocks the event loop for a tenth of a second, so there is a pause for
 * others between two of them. @throws as `parse` does; NodalError `unavailable` if too many wait
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
