// PDFs from Typst templates, rendered in one process of their own: off the event loop, and out of harm's way.
// What belongs here: the queue, the time limit, and replacing the worker. Templates and their data are the caller's.
import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { RenderReply, RenderRequest, WorkerSettings } from "./messages.ts";

export type PdfRenderer = {
  /**
   * Renders a template (a path below the templates folder). It reads `data` as JSON from `sys.inputs.data`, and each of
   * `assets` as a file at its path. Rejects with `unavailable` when too much is waiting, when it takes too long or when
   * the worker dies, and with `internal_error` when the template refuses the data; the reason is the error's cause.
   */
  render(template: string, data: object, assets?: Readonly<Record<string, Uint8Array>>): Promise<Uint8Array>;
  /** Ends the worker. What still waits is refused with `unavailable`. */
  close(): Promise<void>;
};

export type PdfRendererOptions = {
  readonly logger: Logger;
  readonly templatesDir?: string;
  readonly timeoutMs?: number;
  /** The compiler keeps a little memory of each document, so its process is replaced after this many. */
  readonly documentsPerWorker?: number;
  readonly maxWaiting?: number;
};

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));
const TEMPLATES_DIR = fileURLToPath(new URL("../../../templates", import.meta.url));

const require = createRequire(import.meta.url);
/** Noto has a family for each script; the first has Latin and Devanagari. */
const FONT_PACKAGES = [
  require.resolve("@expo-google-fonts/noto-sans/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-bengali/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-tamil/package.json"),
];
const FONT_DIRS = FONT_PACKAGES.flatMap((file) =>
  ["400Regular", "700Bold"].map((weight) => join(dirname(file), weight)),
);

/** Starts no process before the first document. Close it, or its worker lives as long as this process. */
export function createPdfRenderer(options: PdfRendererOptions): PdfRenderer {
  const queue = new RenderQueue(options);
  return {
    render: (template, data, assets = {}) =>
      queue.add({ template, data: JSON.stringify(data), assets: Object.entries(assets) }),
    close: () => queue.close(),
  };
}

type Job = {
  readonly request: RenderRequest;
  readonly resolve: (pdf: Uint8Array) => void;
  readonly reject: (error: NodalError) => void;
  /** Whether a worker had gone before it could get it. */
  readonly wasUnsent?: boolean;
};

/** Gives the worker one document at a time, in order of arrival. */
class RenderQueue {
  readonly #options: Required<PdfRendererOptions>;
  readonly #waiting: Job[] = [];
  #inHand: Job | null = null;
  #timer: NodeJS.Timeout | undefined;
  #worker: ChildProcess | null = null;
  #documentsLeft = 0;
  #isClosed = false;

  constructor(options: PdfRendererOptions) {
    this.#options = {
      templatesDir: TEMPLATES_DIR,
      timeoutMs: 20_000,
      documentsPerWorker: 300,
      maxWaiting: 200,
      ...options,
    };
  }

  add(request: RenderRequest): Promise<Uint8Array> {
    if (this.#isClosed) return Promise.reject(unavailable("The service is stopping.", "closed"));
    if (this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.reject(unavailable("Too many documents are being made.", "queue full"));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(unavailable("The service is stopping.", "closed"));
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    this.#dropWorker("closed");
    await ended;
  }

  #next(): void {
    if (this.#inHand !== null) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#inHand = job;
    const worker = this.#ready();
    this.#timer = setTimeout(
      () => this.#dropWorker(`no answer within ${this.#options.timeoutMs} ms`),
      this.#options.timeoutMs,
    );
    worker.send(job.request, (error) => {
      if (error !== null) this.#unsent(worker, job, error);
    });
  }

  /** The worker had gone before it got the document: another one gets it, once. */
  #unsent(worker: ChildProcess, job: Job, error: Error): void {
    if (worker !== this.#worker || job !== this.#inHand) return;
    if (!this.#isClosed && !job.wasUnsent) {
      this.#release();
      this.#waiting.unshift({ ...job, wasUnsent: true });
    }
    this.#lost(worker, `not reachable: ${error.message}`);
  }

  /** The present worker, or a new one where there is none or the old one has done its share. */
  #ready(): ChildProcess {
    if (this.#worker !== null && (this.#documentsLeft === 0 || !this.#worker.connected)) this.#dropWorker("replaced");
    this.#worker ??= this.#startWorker();
    this.#documentsLeft -= 1;
    return this.#worker;
  }

  #startWorker(): ChildProcess {
    const settings: WorkerSettings = { templatesDir: this.#options.templatesDir, fontDirs: FONT_DIRS };
    // A process and not a thread: native code can't be interrupted in a thread, and a crash would take the server along.
    const worker = fork(WORKER, [JSON.stringify(settings)], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    worker.on("message", (reply: RenderReply) => this.#answered(worker, reply));
    worker.on("error", (error) => this.#lost(worker, error.message));
    worker.on("exit", (code, signal) => this.#lost(worker, `ended with ${signal ?? code}`));
    this.#documentsLeft = this.#options.documentsPerWorker;
    this.#options.logger.debug({ pid: worker.pid }, "PDF worker started");
    return worker;
  }

  #answered(worker: ChildProcess, reply: RenderReply): void {
    if (worker !== this.#worker) return;
    const job = this.#release();
    if ("pdf" in reply) job?.resolve(reply.pdf);
    else job?.reject(new NodalError("internal_error", "The document could not be made.", { cause: reply.problem }));
    this.#next();
  }

  #dropWorker(reason: string): void {
    const worker = this.#worker;
    if (worker === null) return;
    worker.kill("SIGKILL");
    if (reason === "replaced") this.#worker = null;
    else this.#lost(worker, reason);
  }

  /** The worker is gone or given up: the document in hand fails, the next one gets a new worker. */
  #lost(worker: ChildProcess, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    if (!this.#isClosed) this.#options.logger.error({ reason }, "PDF worker lost");
    this.#release()?.reject(unavailable("The document could not be made.", reason));
    this.#next();
  }

  #release(): Job | null {
    clearTimeout(this.#timer);
    const job = this.#inHand;
    this.#inHand = null;
    return job;
  }
}

function unavailable(sentence: string, reason: string): NodalError {
  return new NodalError("unavailable", `${sentence} Try again in a moment.`, { cause: reason });
}
