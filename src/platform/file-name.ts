/** A name for a file, without what file names and headers can't hold, and without an ending: `INV/26-00001` is `INV-26-00001`. */
export function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, "-");
}

/** The header that has browsers save an answer under a name. A name beyond ASCII is sent a second time, as RFC 6266 wants it. */
export function savedAs(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/gu, "_");
  const header = `attachment; filename="${plain}"`;
  if (plain === name) return header;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${header}; filename*=UTF-8''${encoded}`;
}
