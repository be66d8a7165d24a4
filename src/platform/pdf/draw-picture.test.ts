// Drawing pictures: what comes out of sound ones, and that hostile ones end and harm nobody.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, describe, expect, test } from "vitest";
import type { PictureType } from "./messages.ts";
import { jpegSize, pngSize } from "./picture-size.ts";
import { createPdfRenderer } from "./renderer.ts";
import { drawPdfPage } from "../../../test/support/pdf.ts";
import { drawnPng, HOSTILE_SVGS, JPEG, jpegHeader, pngOf, svgOf } from "../../../test/support/pictures.ts";

const OWNER = { bucket: 7, merchantId: 1001n };
const OTHER = { bucket: 9, merchantId: 1002n };
/** For pictures that are to be drawn: a machine may be several times slower than this one. */
const AMPLE_MS = 60_000;
/** Longer than the test takes. */
const ENDLESS_MS = 600_000;
/** On paper that shows where a picture is transparent: a point for each of its pixels. */
const PAGE = `#let size = json(bytes(sys.inputs.data))
#set page(width: size.width * 1pt, height: size.height * 1pt, margin: 0pt, fill: rgb("#00ffff"))
#image("given.png", width: 100%)`;
const templatesDir = mkdtempSync(join(tmpdir(), "nodal-picture-"));
writeFileSync(join(templatesDir, "page.typ"), PAGE);
writeFileSync(join(templatesDir, "words.typ"), "words");
const logger = pino({ level: "silent" });
const renderer = createPdfRenderer({ logger, templatesDir, drawTimeoutMs: AMPLE_MS });
const strict = createPdfRenderer({ logger, templatesDir });
afterAll(async () => {
  await Promise.all([renderer.close(), strict.close()]);
  rmSync(templatesDir, { recursive: true });
});

const draw = (mimeType: PictureType, bytes: Uint8Array) => renderer.draw(OWNER, { mimeType, bytes });
const drawInTime = (mimeType: PictureType, bytes: Uint8Array) => strict.draw(OWNER, { mimeType, bytes });

/** Its size, and its pixels as they are printed. */
async function printed(png: Uint8Array) {
  const size = pngSize(png)!;
  const pdf = await renderer.render(OWNER, "page.typ", size, { "given.png": png });
  const { data, width } = await drawPdfPage(pdf, 1, 1);
  const at = (x: number, y: number): number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
  return { ...size, at };
}
const PAPER = [0, 255, 255];

describe("what is drawn", () => {
  test("an SVG fills the height that a logo has in print, with its classes, text and transparency", async () => {
    const text = '<text x="120" y="60" font-size="40" font-family="Arial">Asha अ</text>';
    const png = await draw(
      "image/svg+xml",
      svgOf(`<style>.a{fill:#0b6e4f}</style><path class="a" d="M0 0h100v100H0z"/>${text}`),
    );
    const { width, height, at } = await printed(png);
    expect([width, height]).toEqual([1200, 400]);
    expect(at(200, 200)).toEqual([0x0b, 0x6e, 0x4f]);
    expect(at(1190, 10)).toEqual(PAPER);
    const letters = Array.from({ length: 500 }, (_, x) => at(480 + x, 220)).filter(
      ([red, green, blue]) => red! + green! + blue! === 0,
    );
    expect(letters.length).toBeGreaterThan(20);
  });

  test("a small bitmap stays as it is, to the pixel", async () => {
    const colour = (x: number): readonly [number, number, number, number] =>
      x < 30 ? [200, 10, 20, 255] : [0, 0, 0, 0];
    const { width, height, at } = await printed(await draw("image/png", drawnPng(60, 20, colour)));
    expect([width, height, at(10, 10), at(50, 10)]).toEqual([60, 20, [200, 10, 20], PAPER]);
  });

  test("a JPEG comes out in its colours", async () => {
    const { width, height, at } = await printed(await draw("image/jpeg", JPEG));
    expect([width, height]).toEqual([32, 16]);
    const [red, green, blue] = at(16, 8) as [number, number, number];
    expect(Math.max(Math.abs(red - 0x20), Math.abs(green - 0x50), Math.abs(blue - 0xc0))).toBeLessThan(6);
  });

  test("a large bitmap becomes smaller in proportion, and a thin line in it stays", async () => {
    const line = (_: number, y: number): readonly [number, number, number, number] => [0, 0, 0, y % 6 === 0 ? 255 : 0];
    const { width, height, at } = await printed(await draw("image/png", drawnPng(1600, 2400, line)));
    expect([width, height]).toEqual([267, 400]);
    const darkest = Math.min(...Array.from({ length: 40 }, (_, y) => at(100, 100 + y)[1]!));
    const lightest = Math.max(...Array.from({ length: 40 }, (_, y) => at(100, 100 + y)[1]!));
    // Each row of pixels has one of its lines: a sixth of it, and none more than another.
    expect(darkest).toBeGreaterThan(150);
    expect(lightest).toBeLessThan(250);
  });

  test("a picture of noise is made small enough for a mail", async () => {
    let seed = 1;
    const noise = () => (seed = (seed * 48_271) % 2_147_483_647) & 255;
    const png = await draw(
      "image/png",
      drawnPng(1100, 380, () => [noise(), noise(), noise(), 255]),
    );
    expect(png.length).toBeLessThanOrEqual(256 * 1024);
    expect((await printed(png)).width).toBeGreaterThan(200);
  });

  test.each([
    ["a PNG without pixels", "image/png", pngOf(60, 20, Buffer.alloc(4))],
    ["a PNG that ends early", "image/png", drawnPng(60, 20, () => [9, 9, 9, 255]).subarray(0, 60)],
    ["a JPEG that is a header only", "image/jpeg", jpegHeader(60, 20)],
    ["an SVG that shows nothing", "image/svg+xml", svgOf("")],
    ["an SVG that ends early", "image/svg+xml", svgOf("<g>").subarray(0, 150)],
  ] as const)("%s is refused, with a reason", async (_, mimeType, bytes) => {
    await expect(draw(mimeType, bytes)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/^(not be empty|be an image).*\.$/) as string,
    });
  });
});

describe("what wants too much", () => {
  test.each(Object.entries(HOSTILE_SVGS))("%s ends, drawn within bounds or refused", async (_, bytes) => {
    const outcome = await drawInTime("image/svg+xml", bytes).catch((error: unknown) => error);
    if (outcome instanceof Uint8Array) expect(pngSize(outcome)!.width).toBeLessThanOrEqual(1201);
    else expect(outcome).toMatchObject({ code: "validation_failed" });
    // Whoever comes next is drawn as ever.
    expect(
      (await strict.draw(OTHER, { mimeType: "image/png", bytes: drawnPng(6, 2, () => [9, 9, 9, 255]) })).length,
    ).toBeGreaterThan(50);
  });

  test.each([
    ["a PNG whose pixels unpack to 400 MiB", "image/png", pngOf(100, 100, Buffer.alloc(400 * 2 ** 20))],
    ["a PNG of 30,000 by 30,000", "image/png", pngOf(30_000, 30_000, Buffer.alloc(1000))],
    ["a JPEG of 65,000 by 65,000", "image/jpeg", jpegHeader(65_000, 65_000)],
  ] as const)("%s is refused even if it gets here", async (_, mimeType, bytes) => {
    await expect(drawInTime(mimeType, bytes)).rejects.toMatchObject({ code: "validation_failed" });
  });

  test("a document of another merchant does not wait for a picture", async () => {
    const patient = createPdfRenderer({ logger, templatesDir, drawTimeoutMs: ENDLESS_MS });
    const endless = patient.draw(OWNER, { mimeType: "image/svg+xml", bytes: HOSTILE_SVGS["a giant blur"]! });
    const outcome = endless.catch((error: unknown) => error);
    try {
      expect((await patient.render(OTHER, "words.typ", {})).length).toBeGreaterThan(100);
    } finally {
      await patient.close();
    }
    // It was still being drawn when the renderer closed.
    expect(await outcome).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("stopping") as string,
    });
  });
});

test("headers say how large a picture is, or nothing", () => {
  expect(pngSize(pngOf(30_000, 20_000, Buffer.alloc(4)))).toEqual({ width: 30_000, height: 20_000 });
  expect(jpegSize(jpegHeader(640, 480))).toEqual({ width: 640, height: 480 });
  for (let length = 0; length < 29; length += 1) {
    expect(jpegSize(jpegHeader(640, 480).subarray(0, length))).toBeNull();
    if (length < 24) expect(pngSize(pngOf(1, 1, Buffer.alloc(4)).subarray(0, length))).toBeNull();
  }
  expect(pngSize(pngOf(0, 5, Buffer.alloc(4)))).toBeNull();
  expect(jpegSize(jpegHeader(640, 0))).toBeNull();
  expect(jpegSize(Buffer.from("ffd8ffe00000".padEnd(4000, "ffe00000"), "hex"))).toBeNull();
});
