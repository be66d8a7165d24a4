// The renderer: one document at a time in a process of its own, which may hang, crash or grow old without harm.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pino } from "pino";
import { createPdfRenderer, type PdfRenderer, type PdfRendererOptions } from "./renderer.ts";
import { readPdf } from "../../../test/support/pdf.ts";

const PNG_OF_ONE_PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const OWNER = { bucket: 7, merchantId: 1001n };
const TEMPLATES = {
  "pages.typ":
    "#set page(width: 100pt, height: 200pt)\n#range(json(bytes(sys.inputs.data)).pages).map(n => [#n]).join(pagebreak())",
  "words.typ": "#set document(date: none)\n#json(bytes(sys.inputs.data)).words",
  "endless.typ": "#{ let x = 0; for i in range(1000000) { for j in range(10000) { x += 1 } }; x }",
  "slow.typ": "#set document(date: none)\n#{ let x = 0; for i in range(3000000) { x += 1 }; x }",
  "hog.typ": "#range(1000000000).len()",
  "picture.typ": '#image("given.svg", alt: "") #read("given.svg").len()',
  "secret.typ": '#read("/../../../../../../etc/hostname")',
};

let templatesDir: string;
const renderers: PdfRenderer[] = [];

beforeAll(() => {
  templatesDir = mkdtempSync(join(tmpdir(), "nodal-pdf-"));
  for (const [name, source] of Object.entries(TEMPLATES)) writeFileSync(join(templatesDir, name), source);
});
afterAll(async () => {
  await Promise.all(renderers.map((renderer) => renderer.close()));
  rmSync(templatesDir, { recursive: true });
});

/** A renderer of the test templates, and the ids of the workers that it has started, the latest last. */
function open(options: Partial<PdfRendererOptions> = {}) {
  const workers: number[] = [];
  const write = (line: string) => {
    const { pid } = JSON.parse(line) as { pid?: number };
    if (pid !== undefined) workers.push(pid);
  };
  const logger = pino({ level: "debug", base: null }, { write });
  const renderer = createPdfRenderer({ logger, templatesDir, ...options });
  renderers.push(renderer);
  return { renderer, workers };
}

test("many at once come back each with its own data, from one worker", async () => {
  const { renderer, workers } = open();
  const words = Array.from({ length: 20 }, (_, index) => `document ${index}`);
  const pdfs = await Promise.all(words.map((one) => renderer.render(OWNER, "words.typ", { words: one })));
  const texts = await Promise.all(pdfs.map(async (pdf) => (await readPdf(pdf)).pages));
  expect(texts).toEqual(words.map((one) => [one]));
  expect(workers.length).toBe(1);
});

test("pages are drawn as one SVG, one below the other, and too many are refused", async () => {
  const { renderer } = open();
  const drawn = async (pages: number) =>
    Buffer.from(await renderer.renderPages(OWNER, "pages.typ", { pages })).toString();
  expect(await drawn(2)).toMatch(/^<svg [^>]*viewBox="0 0 100 400"/);
  await expect(drawn(20)).resolves.toMatch(/^<svg /);
  await expect(drawn(21)).rejects.toMatchObject({
    code: "limit_exceeded",
    message: expect.stringContaining("21 pages"),
  });
});

test("the same data gives the same bytes, also from another worker", async () => {
  const { renderer, workers } = open({ documentsPerWorker: 1 });
  const [first, second] = [
    await renderer.render(OWNER, "words.typ", { words: "a" }),
    // Another owner's is never given from what is kept.
    await renderer.render({ ...OWNER, merchantId: 1002n }, "words.typ", { words: "a" }),
  ];
  expect(Buffer.compare(first, second)).toBe(0);
  expect(workers.length).toBe(2);
});

test("an asset belongs to its document: the next sees its own, or none", async () => {
  const { renderer } = open();
  const svg = (side: number) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"/>`);
  for (const side of [1, 100]) {
    const pdf = await renderer.render(OWNER, "picture.typ", {}, { "given.svg": svg(side) });
    expect((await readPdf(pdf)).pages[0]).toBe(String(svg(side).length));
  }
  await expect(renderer.render(OWNER, "picture.typ", {})).rejects.toMatchObject({ code: "internal_error" });
  await expect(renderer.render(OWNER, "picture.typ", {}, { "given.svg": PNG_OF_ONE_PIXEL })).rejects.toMatchObject({
    code: "internal_error",
  });
});

test("a template that fails fails its document only, and none reads outside of its folder", async () => {
  const { renderer, workers } = open();
  await expect(renderer.render(OWNER, "words.typ", {})).rejects.toMatchObject({ code: "internal_error" });
  await expect(renderer.render(OWNER, "absent.typ", {})).rejects.toMatchObject({ code: "internal_error" });
  await expect(renderer.render(OWNER, "secret.typ", {})).rejects.toMatchObject({ code: "internal_error" });
  expect((await readPdf(await renderer.render(OWNER, "words.typ", { words: "next" }))).pages).toEqual(["next"]);
  expect(workers.length).toBe(1);
});

test("a document that takes too long fails, its worker ends, and the next one gets a new worker", async () => {
  const { renderer, workers } = open({ timeoutMs: 2000 });
  const endless = renderer.render(OWNER, "endless.typ", {});
  const next = renderer.render(OWNER, "words.typ", { words: "next" });
  await expect(endless).rejects.toMatchObject({ code: "unavailable" });
  expect((await readPdf(await next)).pages).toEqual(["next"]);
  expect(workers.length).toBe(2);
  expect(await hasEnded(workers[0]!)).toBe(true);
});

test("a worker that crashes is replaced, and nobody's document is lost", async () => {
  const { renderer, workers } = open();
  await renderer.render(OWNER, "words.typ", { words: "start" });
  const inProgress = renderer.render(OWNER, "slow.typ", {});
  const next = renderer.render(OWNER, "words.typ", { words: "next" });
  process.kill(workers[0]!, "SIGSEGV");
  expect((await readPdf(await inProgress)).pages).toEqual(["3000000"]);
  expect((await readPdf(await next)).pages).toEqual(["next"]);
  process.kill(workers[1]!, "SIGKILL");
  await hasEnded(workers[1]!);
  await sleep(50);
  expect((await readPdf(await renderer.render(OWNER, "words.typ", { words: "after" }))).pages).toEqual(["after"]);
});

test("a worker that gets no processor has longer, and not for ever", async () => {
  const { renderer, workers } = open({ timeoutMs: 500 });
  await renderer.render(OWNER, "words.typ", { words: "start" });
  process.kill(workers[0]!, "SIGSTOP");
  const patient = renderer.render(OWNER, "words.typ", { words: "patient" });
  await sleep(1000);
  process.kill(workers[0]!, "SIGCONT");
  expect((await readPdf(await patient)).pages).toEqual(["patient"]);
  process.kill(workers[0]!, "SIGSTOP");
  const lost = renderer.render(OWNER, "words.typ", { words: "lost" });
  await expect(lost).rejects.toMatchObject({ code: "unavailable", cause: "no answer within 500 ms" });
});

test("a document that two workers die of fails, and what waits goes on", async () => {
  const { renderer, workers } = open({ timeoutMs: 60_000 });
  const inProgress = renderer.render(OWNER, "endless.typ", {});
  const next = renderer.render(OWNER, "words.typ", { words: "next" });
  const killer = setInterval(() => {
    const running = workers.at(-1)!;
    if (workers.length <= 2) process.kill(running, "SIGSEGV");
  }, 300);
  await expect(inProgress).rejects.toMatchObject({ code: "unavailable", cause: "ended with SIGSEGV" });
  clearInterval(killer);
  expect((await readPdf(await next)).pages).toEqual(["next"]);
  expect(workers.length).toBe(3);
});

test("a document that takes more memory than there is fails, and the machine keeps its memory", async () => {
  const { renderer } = open({ timeoutMs: 60_000 });
  const hog = renderer.render(OWNER, "hog.typ", {});
  await expect(hog).rejects.toMatchObject({
    code: "unavailable",
    cause: expect.stringMatching(/^ended with/) as string,
  });
  expect((await readPdf(await renderer.render(OWNER, "words.typ", { words: "next" }))).pages).toEqual(["next"]);
});

test("more than may wait is refused, and closing refuses what waits and ends the worker", async () => {
  const { renderer, workers } = open({ maxWaitingPerOwner: 1 });
  const [inProgress, waiting, refused] = [1, 2, 3].map((number) => renderer.render(OWNER, "endless.typ", { number }));
  await expect(refused).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^Too many/) as string,
  });
  const failures = Promise.all(
    [inProgress, waiting].map((one) => expect(one).rejects.toMatchObject({ code: "unavailable" })),
  );
  await renderer.close();
  await failures;
  expect(await hasEnded(workers[0]!)).toBe(true);
  await expect(renderer.render(OWNER, "words.typ", { words: "late" })).rejects.toMatchObject({ code: "unavailable" });
});

test("a worker that has done its share is replaced, and none is left behind", async () => {
  const { renderer, workers } = open({ documentsPerWorker: 3 });
  for (let index = 0; index < 7; index += 1) await renderer.render(OWNER, "words.typ", { words: String(index) });
  expect(workers.length).toBe(3);
  expect(await hasEnded(workers[0]!)).toBe(true);
  expect(await hasEnded(workers[1]!)).toBe(true);
});

test("owners take turns: who asks for one document waits for one of somebody else's, not for all", async () => {
  const { renderer } = open();
  const order: string[] = [];
  const ask = (merchantId: bigint, words: string) =>
    renderer.render({ bucket: 7, merchantId }, "words.typ", { words }).then(() => order.push(words));
  const many = Array.from({ length: 12 }, (_, index) => ask(1n, `many ${index}`));
  await Promise.all([...many, ask(2n, "one"), ask(3n, "other"), ask(2n, "second")]);
  // The first was in hand before anybody else came.
  expect(order.slice(0, 7)).toEqual(["many 0", "many 1", "one", "other", "many 2", "second", "many 3"]);
});

test("whoever asks for too much at once is refused alone", async () => {
  const { renderer } = open({ maxWaitingPerOwner: 3 });
  const ask = (merchantId: bigint, words: string) => renderer.render({ bucket: 7, merchantId }, "words.typ", { words });
  const flood = Array.from({ length: 10 }, (_, index) => ask(1n, `flood ${index}`));
  const others = [2n, 3n, 4n].map((merchantId) => ask(merchantId, "mine"));
  const outcomes = await Promise.allSettled(flood);
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(4);
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "unavailable", message: expect.stringMatching(/^Too many/) as string });
  for (const pdf of await Promise.all(others)) expect((await readPdf(pdf)).pages).toEqual(["mine"]);
});

test("the same document is rendered once; any difference in it is another document", async () => {
  const { renderer, workers } = open({ documentsPerWorker: 1 });
  const ask = (words: string) => renderer.render(OWNER, "words.typ", { words });
  const [first, meanwhile] = await Promise.all([ask("a"), ask("a")]);
  expect([await ask("a"), meanwhile]).toEqual([first, first]);
  expect(workers.length).toBe(1);
  expect((await readPdf(await ask("b"))).pages).toEqual(["b"]);
  expect(workers.length).toBe(2);
});

test("what failed is tried again when it is asked for again", async () => {
  const { renderer } = open();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(renderer.render(OWNER, "words.typ", {})).rejects.toMatchObject({ code: "internal_error" });
  }
});

/** Whether the process has ended within a second. A process that has ended and was not yet waited for counts. */
async function hasEnded(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      process.kill(pid, 0);
      if (process.platform === "linux" && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return true;
    } catch {
      return true;
    }
    await sleep(50);
  }
  return false;
}
