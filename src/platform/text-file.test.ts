// Text files in the encodings of spreadsheets, and files that are none.
import { expect, test } from "vitest";
import { decodeTextFile, refuseMarkup } from "./text-file.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

test("UTF-8 and UTF-16 are read, and their marks left out", () => {
  const text = "a\tä\tनमस्ते";
  const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const big = Buffer.from(little).swap16();
  for (const file of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), little, big]) {
    expect(decodeTextFile(file)).toBe(text);
  }
});

test("what is not UTF-8 is read as Windows-1252", () => {
  expect(decodeTextFile(bytesOf("D\x92Souza,caf\xe9,\x80 5,M\xdcLLER,a\xa0b"))).toBe(
    "D’Souza,café,€ 5,MÜLLER,a\u00a0b",
  );
});

test("a file that is UTF-8 but for a damaged letter is not read as Windows-1252", () => {
  const cut = Buffer.from("name\nआशा\nAsha").subarray(0, 13);
  const damaged = Buffer.concat([cut, Buffer.from("\nAsha,1\n")]);
  expect(() => decodeTextFile(damaged)).toThrow(/damaged, or mixes two encodings/);
});

test.each([
  [
    "a workbook of today's Excel",
    bytesOf("PK\x03\x04\x14\0\x06\0[Content_Types].xml"),
    /Excel workbook \(\.xlsx\).*save it as CSV/,
  ],
  ["one of older Excel", bytesOf("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), /Excel workbook \(\.xls\).*save it as CSV/],
  ["a PDF", bytesOf("%PDF-1.7\n"), /is a PDF/],
  ["a table of HTML", bytesOf("\r\n<table border=1><tr><td>Date</td></tr></table>"), /is a web page.*save it as CSV/],
  ["a page of HTML", bytesOf("<!DOCTYPE html><html><body>Session expired</body></html>"), /is a web page/],
  ["a page that Excel made", bytesOf('<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head>'), /is a web page/],
  [
    "a workbook of XML",
    bytesOf('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook>'),
    /XML workbook/,
  ],
  ["bytes of a program", bytesOf("a\0b"), /not readable text/],
  ["bytes that Windows-1252 does not have", bytesOf("a\x81\x8d"), /not readable text/],
])("%s is refused, with what to do", (_, file, told) => {
  const readCsv = (field?: string): void => refuseMarkup(decodeTextFile(file, field), field);
  expect(() => readCsv()).toThrow(told);
  expect(() => readCsv("csv")).toThrow(
    expect.objectContaining({
      code: "validation_failed",
      errors: [expect.objectContaining({ field: "csv" })],
    }) as Error,
  );
});

test("words that begin like such a file are words", () => {
  for (const text of ["PK,name\n1,2\n", "<Document><BkToCstmrStmt/></Document>", '<?xml version="1.0"?><Document/>']) {
    expect(decodeTextFile(Buffer.from(text))).toBe(text);
    expect(() => refuseMarkup(text)).not.toThrow();
  }
});
