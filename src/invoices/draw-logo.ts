// Logos are drawn once, when they are given: what is kept and shown is a bitmap that Nodal made.
// What belongs here: drawing a logo that somebody sends.
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { GivenLogo, Logo } from "./template.ts";

/**
 * Draws a logo, in the merchant's turn and within limits of time and memory.
 * @throws NodalError `validation_failed` naming `logo` where it can't be drawn; `unavailable` where too much waits
 */
export async function drawLogo(renderer: PdfRenderer, owner: MerchantKey, given: GivenLogo): Promise<Logo> {
  try {
    return { mimeType: "image/png", bytes: await renderer.draw(owner, given) };
  } catch (error) {
    if (!(error instanceof NodalError) || error.code !== "validation_failed") throw error;
    throw validationError([{ field: "logo", code: "invalid", message: `logo must ${error.message}` }]);
  }
}
