// Handing a file to the browser, as if it had been downloaded.

/** Saves a file under a name. */
export function saveFile(file: Blob, fileName: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** Of a ZIP file's last 22 bytes, its end record: where it counts the files. */
const COUNT_FROM_END = 12;

/** How many files a ZIP file of less than 65,535 holds. */
export async function countFilesIn(zip: Blob): Promise<number> {
  const count = await zip.slice(-COUNT_FROM_END, -COUNT_FROM_END + 2).arrayBuffer();
  return count.byteLength === 2 ? new DataView(count).getUint16(0, true) : 0;
}
