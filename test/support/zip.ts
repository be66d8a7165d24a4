// Reads ZIP files back. Imported only by tests.
import { crc32 } from "node:zlib";

const END_BYTES = 22;
const ENTRY = 0x0201_4b50;

/** The files in a ZIP file whose files are stored as they are, by name and in order. Throws where one is damaged. */
export function readZip(zip: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(zip);
  const end = bytes.subarray(-END_BYTES);
  let place = end.readUInt32LE(16);
  const files = new Map<string, Buffer>();
  for (let left = end.readUInt16LE(10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(place) !== ENTRY) throw new Error(`no entry at ${place}`);
    const [sum, size, nameLength] = [16, 20, 28].map((at, index) =>
      index < 2 ? bytes.readUInt32LE(place + at) : bytes.readUInt16LE(place + at),
    ) as [number, number, number];
    const local = bytes.readUInt32LE(place + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const file = bytes.subarray(begin, begin + size);
    const name = bytes.toString("utf8", place + 46, place + 46 + nameLength);
    if (crc32(file) !== sum) throw new Error(`${name} is damaged`);
    files.set(name, file);
    place += 46 + nameLength + bytes.readUInt16LE(place + 30) + bytes.readUInt16LE(place + 32);
  }
  return files;
}
