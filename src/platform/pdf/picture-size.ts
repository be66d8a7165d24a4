// Reads the size of a PNG or JPEG from its header, before any pixel is decoded.

export type Size = { readonly width: number; readonly height: number };

/** In pixels; `null` if the header is invalid. */
export function pngSize(bytes: Uint8Array): Size | null {
  const view = viewOf(bytes);
  const hasHeader = bytes.length >= 24 && view.getUint32(12) === 0x49484452; // IHDR
  return hasHeader ? positive({ width: view.getUint32(16), height: view.getUint32(20) }) : null;
}

/** In pixels, of the first frame; `null` if there is none. */
export function jpegSize(bytes: Uint8Array): Size | null {
  const view = viewOf(bytes);
  // Two bytes mark the beginning. Then come segments: a marker, a length that includes itself, and the data.
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) {
      return at + 9 <= bytes.length
        ? positive({ width: view.getUint16(at + 7), height: view.getUint16(at + 5) })
        : null;
    }
    // Image data without a frame.
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** SOF0 to SOF15, except three markers with other meanings. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function positive(size: Size): Size | null {
  return size.width > 0 && size.height > 0 ? size : null;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
