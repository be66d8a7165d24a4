/** A name for a file, without what file names and headers can't hold, and without an ending: `INV/26-00001` is `INV-26-00001`. */
export function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, "-");
}
