// The process that draws strangers' pictures: it gets one from its parent and answers with a PNG. The caller decides
// which pictures to accept; worker-queue.ts in the parent limits time and memory.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { join } from "node:path";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { READY, type Picture, type PictureType, type Reply, type WorkerSettings } from "./messages.ts";
import { jpegSize, pngSize, type Size } from "./picture-size.ts";

/** Sharp in print at the height of a logo. */
const MAX_WIDTH = 1200;
const MAX_HEIGHT = 400;
/** Each public page and each mail contains the picture. */
const MAX_BYTES = 256 * 1024;
/** The scale of the next try if the file is too large. */
const SMALLER = 0.7;
/** Answers and documents have priority. */
const LOW_PRIORITY = 10;

const settings = JSON.parse(process.argv[2]!) as WorkerSettings;
const fontBuffers = settings.fontDirs.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ttf"))
    .map((name) => readFileSync(join(folder, name))),
);
const FONT_FAMILY = "Noto Sans";

/** An SVG, and its size in its own units. */
type Drawing = Size & { readonly svg: string };

function draw({ mimeType, bytes }: Picture): Reply {
  try {
    if (mimeType === "image/svg+xml") return drawWithin(readSvg(Buffer.from(bytes).toString()), Infinity);
    const size = mimeType === "image/png" ? pngSize(bytes) : jpegSize(bytes);
    if (size === null) return { problem: "be an image with dimensions." };
    return drawWithin(shrink(asSvg(mimeType, bytes, size)), 1);
  } catch (error) {
    // A crash of the compiled code has no useful message.
    const why = error instanceof Error && error.name === "RuntimeError" ? "" : ` (${String(error).slice(0, 100)})`;
    return { problem: `be an image that can be drawn${why}: save it as plain SVG, or as PNG.` };
  }
}

function readSvg(svg: string): Drawing {
  const { width, height } = open(svg);
  return { svg, width, height };
}

/** One renderer draws all types: a bitmap is wrapped in an SVG. */
function asSvg(mimeType: PictureType, bytes: Uint8Array, { width, height }: Size): Drawing {
  const data = `data:${mimeType};base64,${Buffer.from(bytes).toString("base64")}`;
  const size = `width="${width}" height="${height}"`;
  const image = `<image ${size} xlink:href="${data}"/>`;
  const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  return { svg: `<svg ${names} ${size}>${image}</svg>`, width, height };
}

/** Halves a bitmap until it is less than twice its final size: a larger step would lose thin lines. */
function shrink(drawing: Drawing): Drawing {
  if (scaleOf(drawing) > 0.5) return drawing;
  const half = render(drawing, 0.5);
  return shrink(asSvg("image/png", half.png, half));
}

function drawWithin(drawing: Drawing, maxScale: number): Reply {
  for (let scale = Math.min(scaleOf(drawing), maxScale); ; scale *= SMALLER) {
    const { png, pixels } = render(drawing, scale);
    if (isBlank(pixels))
      return { problem: "not be empty: nothing in it can be drawn. Save it as plain SVG, or as PNG." };
    if (png.length <= MAX_BYTES) return { file: png };
  }
}

function scaleOf({ width, height }: Size): number {
  return Math.min(MAX_WIDTH / width, MAX_HEIGHT / height);
}

function render({ svg }: Drawing, scale: number) {
  const drawing = open(svg, scale);
  const image = drawing.render();
  const { width, height, pixels } = image;
  const rendered = { width, height, pixels, png: image.asPng() };
  // The compiled code's memory is not garbage-collected.
  image.free();
  drawing.free();
  return rendered;
}

/** Is everything transparent? Pixels are red, green, blue and opacity. */
function isBlank(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) return false;
  return true;
}

function open(svg: string, scale = 1): InstanceType<typeof Resvg> {
  return new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: {
      fontBuffers,
      defaultFontFamily: FONT_FAMILY,
      sansSerifFamily: FONT_FAMILY,
      serifFamily: FONT_FAMILY,
      monospaceFamily: FONT_FAMILY,
      cursiveFamily: FONT_FAMILY,
      fantasyFamily: FONT_FAMILY,
    },
  });
}

process.on("message", (picture: Picture) => {
  process.send!(draw(picture));
});
process.on("disconnect", () => process.exit());
// Signals to the whole process group are for the parent, which ends this process when it no longer needs it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
setPriority(LOW_PRIORITY);
await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
process.send!(READY);
