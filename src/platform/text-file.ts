// Text files that people upload: their encodings, and other files under the name of a text file.
import { fieldRefusal } from "./errors.ts";

const SAVE_AS_CSV = "Open it in a spreadsheet program, save it as CSV (UTF-8), and choose that file.";

/** Files that are no text, by their first bytes. */
const OTHER_FILES: readonly { readonly bytes: readonly number[]; readonly problem: string }[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    problem: `The file is an Excel workbook (.xlsx) or another archive, not CSV. ${SAVE_AS_CSV}`,
  },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], problem: `The file is an Excel workbook (.xls), not CSV. ${SAVE_AS_CSV}` },
  { bytes: [0x25, 0x50, 0x44, 0x46], problem: "The file is a PDF, not CSV. Download it as CSV instead." },
];

/** A web page or XML workbook, saved under the name of a CSV file or a workbook, shows itself near the beginning. */
const HEAD_CHARACTERS = 4096;
const DECLARED_WITHIN_BYTES = 1024;
const WEB_PAGE =
  /^(?:<\?xml[^>]*>|<!--[^>]*>|\s)*<(?:!doctype\s+html|html|head|body|title|meta|style|script|table|div|center|form)\b/i;
const XML_WORKBOOK = /^\s*<\?xml[^]*?(?:progid="Excel\.Sheet"|<(?:\w+:)?Workbook\b)/;

/** Control characters that no text has, except tabs, line breaks and page breaks. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0e-\x19\x1b-\x1f\x7f-\x9f]/;
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/;

/**
 * Refuses a web page or a workbook in XML, whatever its file name.
 * @throws NodalError `validation_failed`
 */
export function refuseMarkup(text: string, field = "file"): void {
  if (!isWebPage(text) && !isXmlWorkbook(text)) return;
  const problem = `The file is a web page or an XML workbook, not CSV. ${SAVE_AS_CSV}`;
  throw fieldRefusal("validation_failed", field, problem);
}

export function isWebPage(text: string): boolean {
  return WEB_PAGE.test(text.slice(0, HEAD_CHARACTERS));
}

function isXmlWorkbook(text: string): boolean {
  return XML_WORKBOOK.test(text.slice(0, HEAD_CHARACTERS));
}

/**
 * The text of a file without its byte order mark: UTF-8, UTF-16 with its mark, or else what XML or HTML declares, or Windows-1252.
 * @param field what errors call the file
 * @throws NodalError `validation_failed` for a workbook, a PDF or any other binary file
 */
export function decodeTextFile(bytes: Uint8Array, field = "file"): string {
  const other = OTHER_FILES.find(({ bytes: first }) => first.every((byte, index) => bytes[index] === byte));
  if (other) throw fieldRefusal("validation_failed", field, other.problem);
  const decoded = decode(bytes);
  if ("problem" in decoded) throw fieldRefusal("validation_failed", field, decoded.problem);
  return decoded.text;
}

type Decoded = { readonly text: string } | { readonly problem: string };

const NO_TEXT: Decoded = { problem: `The file is not readable text. ${SAVE_AS_CSV}` };

function decode(bytes: Uint8Array): Decoded {
  const isMarked = (first: number, second: number): boolean => bytes[0] === first && bytes[1] === second;
  if (isMarked(0xff, 0xfe)) return decodeAs("utf-16le", bytes) ?? NO_TEXT;
  if (isMarked(0xfe, 0xff)) return decodeAs("utf-16be", bytes) ?? NO_TEXT;
  if (bytes.includes(0)) return NO_TEXT;
  const utf8 = decodeAs("utf-8", bytes);
  if (utf8) return utf8;
  // If the rest is UTF-8, the file is damaged. Windows-1252 would turn each non-ASCII letter into several.
  if (BEYOND_ASCII.test(new TextDecoder("utf-8").decode(bytes))) {
    return { problem: `The file is damaged, or mixes two encodings. ${SAVE_AS_CSV}` };
  }
  const text = new TextDecoder(declaredEncoding(bytes)).decode(bytes);
  return CONTROLS.test(text) ? NO_TEXT : { text };
}

/** The encoding that XML or HTML declares, if this runtime knows it; else Windows-1252. */
function declaredEncoding(bytes: Uint8Array): string {
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, DECLARED_WITHIN_BYTES));
  const declared = /^\s*<[^]*?\b(?:encoding|charset)\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1] ?? "windows-1252";
  try {
    const { encoding } = new TextDecoder(declared);
    return encoding === "utf-8" ? "windows-1252" : encoding;
  } catch {
    return "windows-1252";
  }
}

function decodeAs(encoding: string, bytes: Uint8Array): Decoded | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : { text };
  } catch {
    return null;
  }
}
