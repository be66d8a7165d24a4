// PDFs from Typst templates, and pictures made safe to print: each in a process of its own, off the event loop and out
// of harm's way. Templates and their data are the caller's.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { FONT_DIRS } from "./fonts.ts";
import { KeptFiles } from "./kept-files.ts";
import { MAX_PAGES_IN_SVG, type Picture, type RenderRequest } from "./messages.ts";
import { WorkerQueue } from "./worker-queue.ts";

/** Whose work it is: documents and pictures of different owners take turns. */
export type RenderOwner = { readonly bucket: number; readonly merchantId: bigint };

export type PdfRenderer = {
  /**
   * Renders a template (a path below the templates folder). It reads `data` as JSON from `sys.inputs.data`, and each of
   * `assets` as a file at its path. The same of all of it is rendered once, as long as there is room to keep it. Rejects
   * with `unavailable` when too much of the owner's is waiting, when it takes too long or when the worker dies of it, and
   * with `internal_error` when the template refuses the data; the reason is the error's cause.
   */
  render(
    owner: RenderOwner,
    template: string,
    data: object,
    assets?: Readonly<Record<string, Uint8Array>>,
  ): Promise<Uint8Array>;
  /**
   * Renders the pages of the same document as one SVG, one below the other: for a screen that shows no PDF. It is drawn anew for
   * each call. Rejects as `render` does, and with `limit_exceeded` for too many pages.
   */
  renderPages(
    owner: RenderOwner,
    template: string,
    data: object,
    assets?: Readonly<Record<string, Uint8Array>>,
  ): Promise<Uint8Array>;
  /**
   * Draws a picture as a PNG of bounded size. Rejects with `validation_failed` and what the picture must be instead when
   * it can't be drawn, takes too long or makes the worker die, and with `unavailable` when too much is waiting.
   */
  draw(owner: RenderOwner, picture: Picture): Promise<Uint8Array>;
  /** Ends the workers. What still waits is refused with `unavailable`. */
  close(): Promise<void>;
};

export type PdfRendererOptions = {
  readonly logger: Logger;
  readonly templatesDir?: string;
  /** For one document. The largest that can be saved takes a fraction of the default. */
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
/** A form draws its logo again and again, with each preview. */
const KEPT_PICTURES = { maxBytes: 16 * 2 ** 20, maxBytesOfOwner: 2 ** 20 };

/** Starts no process before the first document. Close it, or its workers live as long as this process. */
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
  // A process for each picture: nothing of one merchant's reaches another's.
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

/** All that a PDF is made from. The templates are those that this process was started with. */
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
