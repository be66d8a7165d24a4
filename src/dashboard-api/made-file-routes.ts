// Routes that answer with a file that is made for them: how many at once, for whom, for how long, and how often a PDF.
// What belongs here: what is the same for all of them. What is in one, and who may have it, is its route's.
import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";
import { NodalError } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import { fileNameOf } from "../platform/file-name.ts";
import { rateLimited, type RateWindow } from "../platform/rates/rate-window.ts";
import type { MerchantCall } from "./guarded-routes.ts";

/** A file that nobody reads on for so long is broken off, and one that takes so long in all. */
const UNREAD_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

const REFUSAL = "Too many files are being made for you at once: wait until one of them is there, then try again.";
/** Files are made a few at a time, since each reads much: two of one merchant, which takes turns with others. */
const files = new Gate({
  atOnce: 6,
  atOncePerKey: 2,
  maxWaiting: 200,
  maxWaitingPerKey: 4,
  waitMs: 60_000,
  refusal: REFUSAL,
});

type MadeFile = {
  readonly name: string;
  readonly type: string;
  /** Made as fast as they are read, and no further where nobody reads on. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
};

/**
 * Answers a route of a merchant with a file.
 * @throws NodalError `unavailable` where too many files are being made
 */
export async function sendFile(reply: FastifyReply, { name, type, pieces }: MadeFile): Promise<FastifyReply> {
  const leave = await files.enter(String(reply.request.dashboard.merchant?.merchantId));
  if (reply.raw.destroyed) {
    // He left while he waited.
    leave();
    throw new NodalError("unavailable", REFUSAL);
  }
  const watched = async function* (): AsyncGenerator<string | Uint8Array> {
    for await (const piece of pieces) {
      const unread = setTimeout(breakOff, UNREAD_MS);
      try {
        yield piece;
      } finally {
        clearTimeout(unread);
      }
    }
  };
  const file = Readable.from(watched());
  const breakOff = (): void => void file.destroy(new Error("Nobody reads this file."));
  const longest = setTimeout(breakOff, LONGEST_MS);
  file.once("close", () => {
    clearTimeout(longest);
    leave();
  });
  // Nobody waits for it any more, also where he left before the first line.
  reply.raw.once("close", () => file.destroy());
  reply.header("content-disposition", `attachment; filename="${name}"`);
  return reply.type(type).send(file);
}

/** Of one merchant's people together and of one kind, so that they can't keep the renderer from the others. */
const PDFS_PER_MINUTE = 60;

type Papers = {
  /** What is counted together, as people call it: `credit notes`. */
  readonly kind: string;
  /** Without `.pdf`; what file names can't hold is replaced. */
  readonly name: string;
  readonly make: () => Promise<Uint8Array>;
};

/**
 * Makes a PDF and answers with it, to be looked at in the browser.
 * @throws NodalError `rate_limited`, and as `make` does
 */
export async function sendPdf(
  rates: Pick<RateWindow, "take">,
  { merchant, reply }: Pick<MerchantCall, "merchant"> & { readonly reply: FastifyReply },
  { kind, name, make }: Papers,
): Promise<FastifyReply> {
  const rate = await rates.take(`${kind} ${merchant.merchantId}`, PDFS_PER_MINUTE);
  if (!rate.allowed) throw rateLimited(rate, `PDFs of ${kind}`);
  const pdf = await make();
  return reply
    .type("application/pdf")
    .header("content-disposition", `inline; filename="${fileNameOf(name)}.pdf"`)
    .send(Buffer.from(pdf));
}
