// Reading PDFs back, for tests: their text, page by page, and a page as pixels. Only tests import this file.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getDocument, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";

export type Pixels = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
type Context = { getImageData(x: number, y: number, width: number, height: number): Pixels };
type CanvasFactory = { create(width: number, height: number): { canvas: { getContext(kind: "2d"): Context } } };

const FONTS = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "standard_fonts/");

/** The text of each page with single spaces, how far right any of it ends on A4 (in points), and title and author. */
export async function readPdf(
  pdf: Uint8Array,
): Promise<{ pages: string[]; rightEdge: number; title: unknown; author: unknown }> {
  return withPdf(pdf, async (document) => {
    const pages = [];
    let rightEdge = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const content = await (await document.getPage(number)).getTextContent();
      const text = content.items.map((item) => ("str" in item ? item.str + (item.hasEOL ? " " : "") : "")).join("");
      for (const item of content.items) {
        if ("str" in item) rightEdge = Math.max(rightEdge, (item.transform as number[])[4]! + item.width);
      }
      pages.push(text.replace(/\s+/g, " ").trim());
    }
    const info = (await document.getMetadata()).info as Record<string, unknown>;
    return { pages, rightEdge, title: info["Title"], author: info["Author"] };
  });
}

/** A page (from 1) as RGBA pixels, at this many pixels per point. */
export async function drawPdfPage(pdf: Uint8Array, number: number, scale: number): Promise<Pixels> {
  return withPdf(pdf, async (document) => {
    const page = await document.getPage(number);
    const viewport = page.getViewport({ scale });
    const factory = document.canvasFactory as CanvasFactory;
    const [width, height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
    const { canvas } = factory.create(width, height);
    await page.render({ canvas, viewport }).promise;
    return canvas.getContext("2d").getImageData(0, 0, width, height);
  });
}

async function withPdf<Result>(pdf: Uint8Array, use: (document: PDFDocumentProxy) => Promise<Result>): Promise<Result> {
  // pdf.js detaches the buffer.
  const task = getDocument({ data: Uint8Array.from(pdf), standardFontDataUrl: FONTS, verbosity: 0 });
  try {
    return await use(await task.promise);
  } finally {
    await task.destroy();
  }
}
