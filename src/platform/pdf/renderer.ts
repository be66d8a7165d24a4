// PDFs from Typst templates, and pictures made safe to print. Each runs in a separate process, off the event loop and
// isolated from crashes. Callers provide templates and data.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { FONT_DIRS } from "./fonts.ts";
import { KeptFiles } from "./kept-files.ts";
import { MAX_PAGES_IN_SVG, type Picture, type RenderRequest } from "./messages.ts";
import { WorkerQueue } from "./worker-queue.ts";

/** The owner of a job. Documents and pictures of different owners take turns. */
export type RenderOwner = { readonly bucket: number; readonly merchantId: bigint };

export type PdfRenderer = {
  /**
   * Renders a template (a path below the templates folder). It reads `data` as JSON from `sys.inputs.data`, and each of
   * `assets` as a file at its path. Equal requests are rendered once, as long as the cache has room. Rejects with
   * `unavailable` if too many of the owner's jobs are waiting, if it takes too long or if the worker dies, and with
   * `internal_error` if the template refuses the data; the error's cause has the reason.
   */
  render(
    owner: RenderOwner,
    template: string,
    data: object,
    assets?: Readonly<Record<string, Uint8Array>>,
  ): Promise<Uint8Array>;
  /**
   * Renders the pages of such a document as one SVG, one below the other, for screens that can't show PDFs. It is not
   * cached. Rejects as `render` does, and with `limit_exceeded` for too many pages.
   */
  renderPages(
    owner: RenderOwner,
    template: string,
    data: object,
    assets?: Readonly<Record<string, Uint8Array>>,
  ): Promise<Uint8Array>;
  /**
   * Draws a picture as a PNG of bounded size. Rejects with `validation_failed` and a remedy if it can't be drawn, takes
   * too long or crashes the worker, and with `unavailable` if too many jobs are waiting.
   */
  draw(owner: RenderOwner, picture: Picture): Promise<Uint8Array>;
  /** Ends the workers. Waiting jobs are refused with `unavailable`. */
  close(): Promise<void>;
};

export type PdfRendererOptions = {
  readonly logger: Logger;
  readonly templatesDir?: string;
  /** The time limit for one document. The largest that can be saved takes a fraction of the default. */
  readonly timeoutMs?: number;
  readonly drawTimeoutMs?: number;
  readonly documentsPerWorker?: number;
  readonly maxWaitingPerOwner?: number;
};

const DOCUMENT_WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));
const PICTURE_WORKER = fileURLToPath(new URL("./picture-worker.ts", import.meta.url));
const TEMPLATES_DIR = fileURLToPath(new URL("../../../templates", import.meta.url));
/** Under load, Node and the fonts take a while. */
const START_TIMEOUT_MS = 20_000;
const KEPT_PDFS = { maxBytes: 64 * 2 ** 20, maxBytesOfOwner: 8 * 2 ** 20 };
/** Each preview of a form draws its logo again. */
const KEPT_PICTURES = { maxBytes: 16 * 2 ** 20, maxBytesOfOwner: 2 ** 20 };

/**
 * Creates a renderer, which starts its first process with the first document. Close it, or its workers live as long as
 * this process.
 */
export function createPdfRenderer(options: PdfRendererOptions): PdfRenderer {
  const { logger, templatesDir = TEMPLATES_DIR } = options;
  const shared = {
    logger,
    settings: { templatesDir, fontDirs: FONT_DIRS },
    startTimeoutMs: START_TIMEOUT_MS,
  };
  const documents = new WorkerQueue<RenderRequest>({
    ...shared,
    script: DOCUMENT_WORKER,
    timeoutMs: options.timeoutMs ?? 5000,
    jobsPerWorker: options.documentsPerWorker ?? 300,
    memoryMiB: 1536,
    maxWaitingPerOwner: options.maxWaitingPerOwner ?? 20,
  });
  // A new process for each picture, so that merchants share nothing.
  const pictures = new WorkerQueue<Picture>({
    ...shared,
    script: PICTURE_WORKER,
    timeoutMs: options.drawTimeoutMs ?? 5000,
    jobsPerWorker: 1,
    memoryMiB: 768,
    maxWaitingPerOwner: 4,
  });
  const keptPdfs = new KeptFiles(KEPT_PDFS);
  const keptPictures = new KeptFiles(KEPT_PICTURES);
  return {
    render: (owner, template, data, assets = {}) => {
      const request = requestOf("pdf", template, data, assets);
      return keptPdfs.take(nameOf(owner), keyOf(request), () => makeDocument(documents, owner, request));
    },
    renderPages: (owner, template, data, assets = {}) =>
      makeDocument(documents, owner, requestOf("svg", template, data, assets)),
    draw: (owner, picture) => {
      const key = createHash("sha256").update(picture.bytes).digest("hex");
      return keptPictures.take(nameOf(owner), key, () => makePicture(pictures, owner, picture));
    },
    close: async () => {
      await Promise.all([documents.close(), pictures.close()]);
    },
  };
}

function nameOf({ bucket, merchantId }: RenderOwner): string {
  return `${bucket}:${merchantId}`;
}

function requestOf(
  format: RenderRequest["format"],
  template: string,
  data: object,
  assets: Readonly<Record<string, Uint8Array>>,
): RenderRequest {
  return { format, template, data: JSON.stringify(data), assets: Object.entries(assets) };
}

/** Everything that a PDF is made from. Templates don't change during this process. */
function keyOf({ template, data, assets }: RenderRequest): string {
  const hash = createHash("sha256").update(JSON.stringify([template, data, assets.map(([path]) => path)]));
  for (const [, bytes] of assets) hash.update(`${bytes.length}:`).update(bytes);
  return hash.digest("hex");
}

async function makeDocument(
  queue: WorkerQueue<RenderRequest>,
  owner: RenderOwner,
  request: RenderRequest,
): Promise<Uint8Array> {
  const reply = await queue.run(nameOf(owner), request);
  if ("file" in reply) return reply.file;
  if ("tooLong" in reply) {
    const message = `The document has ${reply.tooLong} pages, and a preview at most ${MAX_PAGES_IN_SVG}: save it to see its PDF.`;
    throw new NodalError("limit_exceeded", message);
  }
  if ("lost" in reply) {
    throw new NodalError("unavailable", "The document could not be created. Try again in a moment.", {
      cause: reply.lost,
    });
  }
  throw new NodalError("internal_error", "The document could not be created.", { cause: reply.problem });
}

async function makePicture(queue: WorkerQueue<Picture>, owner: RenderOwner, picture: Picture): Promise<Uint8Array> {
  const reply = await queue.run(nameOf(owner), picture);
  if ("file" in reply) return reply.file;
  if ("problem" in reply) throw new NodalError("validation_failed", reply.problem, { cause: reply.problem });
  const problem = "be simpler: drawing it takes too much time or memory. Save it as PNG.";
  throw new NodalError("validation_failed", problem, { cause: "lost" in reply ? reply.lost : "too long" });
}
