// Pictures for tests: valid ones of each type, and ones that try to use up time, memory or the process. Imported only by tests.
import { crc32, deflateSync } from "node:zlib";

/** An SVG of 300 by 100, unless the attributes say otherwise. */
export function svgOf(inside: string, attributes = 'viewBox="0 0 300 100"'): Buffer {
  const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  return Buffer.from(`<svg ${names} ${attributes}>${inside}</svg>`);
}

/** A PNG with this header, whatever its pixels are: `filtered` is each row's filter byte and RGBA. */
export function pngOf(width: number, height: number, filtered: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(filtered)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PNG whose pixels are those of `colourAt`, as RGBA. */
export function drawnPng(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number, number],
): Buffer {
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(colourAt(x, y), y * (width * 4 + 1) + 1 + x * 4);
  }
  return pngOf(width, height, rows);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** The beginning of a JPEG with a frame of this size, after a segment that is passed over. */
export function jpegHeader(width: number, height: number): Buffer {
  const frame = Buffer.from("ffc0001108000000000301220002110103110100", "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex"), frame]);
}

/** A JPEG of 32 by 16 pixels, all of them #2050c0. */
export const JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQACADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAUG/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AgANKmAAP/9k=",
  "base64",
);

const EFFECTS = [
  '<feTurbulence numOctaves="10" baseFrequency="0.9"/>',
  '<feMorphology operator="dilate" radius="80"/>',
  '<feGaussianBlur stdDeviation="50"/>',
  '<feConvolveMatrix order="9" kernelMatrix="' + "1 ".repeat(81) + '"/>',
];
const FILTERED = '<rect width="300" height="100" filter="url(#f)"/>';

/** SVGs that are small to send and much to draw, by what they do. */
export const HOSTILE_SVGS: Readonly<Record<string, Buffer>> = {
  "heavy filters": svgOf(
    `<filter id="f" x="-2" y="-2" width="5" height="5">${EFFECTS.join("").repeat(12)}</filter>${FILTERED.repeat(100)}`,
  ),
  "a giant blur": svgOf(
    `<filter id="f" x="-100" y="-100" width="300" height="300"><feGaussianBlur stdDeviation="1e9"/></filter>${FILTERED}`,
  ),
  "deep nesting": svgOf(`${'<g opacity="0.9">'.repeat(4900)}<path d="M0 0h9v9z"/>${"</g>".repeat(4900)}`),
  "groups within groups": svgOf(`${'<g opacity="0.9">'.repeat(900)}<path d="M0 0h9v9z"/>${"</g>".repeat(900)}`),
  "a huge view box": svgOf('<rect width="1e38" height="1e38"/>', 'viewBox="0 0 1e38 1e38" width="1e38" height="1e38"'),
  "a huge size": svgOf('<rect width="9" height="9"/>', 'width="1000000000" height="1000000000"'),
  "sizes that are no numbers": svgOf('<rect width="NaN" height="Infinity"/>', 'width="NaN" height="-1"'),
  "a use of itself": svgOf('<g id="a"><use href="#a"/><path d="M0 0h9v9z"/></g>'),
  "uses of uses": svgOf(
    Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? '<g id="a0"><path d="M0 0h1v1z"/></g>'
        : `<g id="a${level}">${`<use href="#a${level - 1}"/>`.repeat(10)}</g>`,
    ).join(""),
  ),
  "a pattern of itself": svgOf(
    '<pattern id="p" width="9" height="9" patternUnits="userSpaceOnUse"><path d="M0 0h9v9z" fill="url(#p)"/></pattern>' +
      '<path d="M0 0h90v90z" fill="url(#p)"/>',
  ),
  "patterns of patterns": svgOf(
    Array.from(
      { length: 12 },
      (_, level) =>
        `<pattern id="p${level}" width="0.01" height="0.01" patternUnits="userSpaceOnUse">` +
        `<path d="M0 0h9v9z" fill="url(#p${level + 1})"/></pattern>`,
    ).join("") + '<path d="M0 0h300v90z" fill="url(#p0)"/>',
  ),
  "a mask of itself": svgOf(
    '<mask id="m"><path d="M0 0h9v9z" mask="url(#m)"/></mask><path d="M0 0h90v90z" mask="url(#m)"/>',
  ),
  "endless dashes": svgOf(
    '<path d="M0 0H1e9" stroke="red" stroke-width="3" stroke-dasharray="0.00001 0.00001"/>',
    'viewBox="0 0 1e9 9"',
  ),
  "a picture of 20,000 by 20,000": svgOf(
    `<image width="300" height="100" href="data:image/png;base64,${pngOf(20_000, 20_000, Buffer.alloc(2 ** 20)).toString("base64")}"/>`,
  ),
};
