// One job: logos that earlier releases saved as they were sent are drawn, as new ones are when they are sent.
// What belongs here: going through them. Until a logo is drawn, and where it can't be, documents come without it.
import type { MerchantKey } from "../merchants/index.ts";
import { hasWaitedInVain } from "../platform/database/failure.ts";
import { NodalError } from "../platform/errors.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import type { Logger } from "../platform/log.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { keepDrawnLogo } from "./change-template.ts";
import { drawLogo } from "./draw-logo.ts";
import { readLogo } from "./template-logo.ts";
import { listGivenLogos } from "./template-store.ts";
import type { GivenLogo, Logo } from "./template.ts";

const LOOK_MS = 60_000;
const BATCH_SIZE = 50;

type Parts = { readonly renderer: PdfRenderer; readonly logger: Logger };

/** Draws what is not drawn yet, so many in a run. Those of a merchant whose rows something else holds are left for later. */
export function logoSchedule({ renderer, logger }: Parts): Schedule {
  return {
    name: "logos",
    everyMs: LOOK_MS,
    run: async (pool, signal) => {
      for (const { logo, ...key } of await listGivenLogos(pool, BATCH_SIZE)) {
        if (signal.aborted) return;
        const drawn = await drawIfPossible(renderer, key, logo);
        if (drawn === null) {
          const names = { merchant_id: String(key.merchantId), template_id: String(key.templateId) };
          logger.warn(names, "a logo can't be drawn and is not shown: it is to be uploaded again");
        }
        await keepDrawnLogo(pool, key, drawn).catch((error: unknown) => {
          if (!hasWaitedInVain(error)) throw error;
        });
      }
    },
  };
}

/** `null` where it is refused. @throws NodalError `unavailable` */
async function drawIfPossible(renderer: PdfRenderer, owner: MerchantKey, given: GivenLogo): Promise<Logo | null> {
  const read = readLogo(given.bytes);
  if (typeof read === "string") return null;
  try {
    return await drawLogo(renderer, owner, read);
  } catch (error) {
    if (error instanceof NodalError && error.code === "validation_failed") return null;
    throw error;
  }
}
