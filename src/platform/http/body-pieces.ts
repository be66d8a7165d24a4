// In how many pieces a body comes. What belongs here: their number; how long a body may be is said where it is read.
// Each piece costs a call and an object of its own, however short it is: chunks of one byte take the server hundreds of
// times the memory, and most of the processor time, of the same bytes sent as others send them.
import type { IncomingMessage } from "node:http";
import { NodalError } from "../errors.ts";

/** So many may be of any length: clients that write a short body member by member. */
const FREE_PIECES = 1024;
/** What further ones have at least, on average. A packet of the network, or what a client writes at once, has more. */
const MEAN_BYTES = 64;

/**
 * Gives the body of a request up, as its stream's error `body_too_large`, once it has come in too many short pieces. To
 * be called before anybody reads the body, in the same turn as its reader begins.
 */
export function limitPieces(body: IncomingMessage): void {
  let pieces = 0;
  let bytes = 0;
  const count = (piece: Buffer): void => {
    pieces += 1;
    bytes += piece.length;
    if (pieces <= FREE_PIECES + bytes / MEAN_BYTES) return;
    body.off("data", count);
    // Nobody listens once the request has been answered: what still comes is thrown away.
    if (body.listenerCount("error") === 0) body.destroy();
    else body.emit("error", tooManyPieces());
  };
  body.on("data", count);
}

function tooManyPieces(): NodalError {
  return new NodalError(
    "body_too_large",
    `The body comes in too many pieces. Send it with Content-Length, or in chunks of at least ${MEAN_BYTES} bytes.`,
  );
}
