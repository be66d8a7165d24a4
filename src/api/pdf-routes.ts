// Answers with generated PDFs, and their rate limits.
import type { FastifyReply } from "fastify";
import { fileNameOf } from "../platform/file-name.ts";
import { rateLimited, type RateWindow } from "../platform/rates/rate-window.ts";
import type { MerchantCall } from "./guarded-routes.ts";

/** The limit of one kind for all people of a merchant, so that they can't block the renderer. */
export const PDFS_PER_MINUTE = 60;

type Papers = {
  /** The documents that share a limit, in words: `credit notes`. */
  readonly kind: string;
  /** Without `.pdf`; characters that a file name can't contain are replaced. */
  readonly name: string;
  readonly make: () => Promise<Uint8Array>;
};

/**
 * Makes a PDF and answers with it, to view in the browser.
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
