// The process that runs Typst: it gets one request at a time from its parent and answers with the PDF, or its pages as
// an SVG. worker-queue.ts in the parent does queueing, time limits and replacement.
import { join } from "node:path";
import { NodeCompiler, type NodeTypstCompileResult } from "@myriaddreamin/typst-ts-node-compiler";
import { MAX_PAGES_IN_SVG, READY, type RenderRequest, type Reply, type WorkerSettings } from "./messages.ts";

/** Cached data is dropped after this many documents without use. */
const CACHE_AGE_DOCUMENTS = 3;

const settings = JSON.parse(process.argv[2]!) as WorkerSettings;
const compiler = NodeCompiler.create({
  workspace: settings.templatesDir,
  fontArgs: [{ fontPaths: [...settings.fontDirs] }],
});

function render(request: RenderRequest): Reply {
  for (const [path, bytes] of request.assets) compiler.mapShadow(join(settings.templatesDir, path), Buffer.from(bytes));
  try {
    // The data is an input of the template, never part of its source.
    const compiled = compiler.compile({
      mainFilePath: join(settings.templatesDir, request.template),
      inputs: { data: request.data },
      resetRead: true,
    });
    const document = compiled.result;
    if (document === null) return { problem: problemOf(compiled) };
    if (request.format === "pdf") return { file: compiler.pdf(document) };
    if (document.numOfPages > MAX_PAGES_IN_SVG) return { tooLong: document.numOfPages };
    return { file: Buffer.from(compiler.plainSvg(document)) };
  } catch (error) {
    return { problem: String(error) };
  } finally {
    compiler.resetShadow();
    compiler.evictCache(CACHE_AGE_DOCUMENTS);
  }
}

function problemOf(compiled: NodeTypstCompileResult): string {
  return JSON.stringify(compiled.takeError()?.shortDiagnostics ?? "no diagnostics");
}

process.on("message", (request: RenderRequest) => {
  process.send!(render(request));
});
process.on("disconnect", () => process.exit());
// Signals to the whole process group are for the parent, which ends this process when it no longer needs it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.send!(READY);
