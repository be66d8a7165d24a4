// Number series and logos: what fits, what collides, and which files are refused.
import { describe, expect, test } from "vitest";
import type { FieldError } from "../../platform/errors.ts";
import { decode, decoderOf } from "../../platform/http/field.ts";
import type { Field } from "../../platform/http/fields.ts";
import { invoiceFields } from "../invoice-fields.ts";
import { logoText, seriesFields, templateFields } from "./template-fields.ts";
import { JPEG, jpegHeader, pngOf } from "../../../test/support/pictures.ts";
import { LOGO_MAX_BYTES, readLogo } from "./template-logo.ts";
import { sampleInvoiceRequest } from "../../documents/preview-template.ts";
import { canCollide, fitsNumber, type Template } from "./template.ts";

function problems(field: Field<unknown>, value: unknown): string[] {
  const errors: FieldError[] = [];
  decoderOf(field)(value, "it", errors);
  return errors.map((error) => error.field);
}

describe("number series", () => {
  test.each(["INV-{FY}-", "A", "-", "{FY}/", "a1b2/", "ABCDEFGHIJKLMN-", "{FY}{FY}{FY}-/x"])("takes %s", (prefix) => {
    expect(problems(seriesFields.prefix, prefix)).toEqual([]);
  });

  test.each([
    "",
    "INV-1",
    "INV-{FY}",
    "INV {FY}-",
    "INV_",
    "INV-{fy}-",
    "{FY",
    "ABCDEFGHIJKLMNO-",
    "चालान-",
    "A\n-",
    5,
  ])("refuses %j", (prefix) => expect(problems(seriesFields.prefix, prefix)).toEqual(["it"]));

  test.each([
    ["INV-{FY}-", 7, true],
    ["INV-{FY}-", 8, false],
    ["ABCDEFGHIJKLMN-", 1, true],
    ["ABCDEFGHIJKLMN-", 2, false],
  ])("%s with %i digits fits: %s", (prefix, width, fits) => expect(fitsNumber(prefix, width)).toBe(fits));

  test.each([
    ["INV-{FY}-", "INV-{FY}-", true],
    ["INV-{FY}-", "inv-{FY}-", true],
    ["INV-{FY}-", "INV-2627-", true],
    ["INV-9900-", "INV-{FY}-", true],
    ["A{FY}-2627-", "A2627-{FY}-", true],
    ["INV-{FY}-", "INV-2628-", false],
    ["INV-", "INV-{FY}-", false],
    ["A-", "A1-", false],
  ])("%s and %s can collide: %s", (one, other, collide) => {
    expect(canCollide(one, other)).toBe(collide);
    expect(canCollide(other, one)).toBe(collide);
  });
});

describe("terms and colours", () => {
  test("line breaks are kept, other control characters are refused", () => {
    const errors: FieldError[] = [];
    expect(decoderOf(templateFields.terms)(" Pay soon.\r\n\nThank you. ", "it", errors)).toBe(
      "Pay soon.\n\nThank you.",
    );
    expect(errors).toEqual([]);
    expect(problems(templateFields.terms, "a\u0007b")).toEqual(["it"]);
    expect(problems(templateFields.terms, "x".repeat(2001))).toEqual(["it"]);
  });

  test("only a header field of type textarea has several lines", () => {
    const field = (type: string) => [{ name: "Note", type, value: " one\r\ntwo " }];
    const errors: FieldError[] = [];
    expect(decoderOf(templateFields.header_fields)(field("textarea"), "it", errors)).toEqual([
      { id: null, name: "Note", type: "textarea", value: "one\ntwo" },
    ]);
    expect(errors).toEqual([]);
    expect(problems(templateFields.header_fields, field("text"))).toEqual(["it[0].value"]);
  });

  test("a header field that is the invoice's number has no default value", () => {
    const field = (value: string) => [{ name: "Invoice No.", type: "text", value }];
    expect(problems(templateFields.header_fields, field(""))).toEqual([]);
    expect(problems(templateFields.header_fields, field("A-1"))).toEqual(["it[0].value"]);
  });

  test.each(["red", "#12345", "#1234567", "#12345g", "#fff", 'x" onload="'])("refuses the colour %s", (colour) => {
    expect(problems(templateFields.colour, colour)).toEqual(["it"]);
  });
});

const svg = (inside: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`;
const read = (text: string) => readLogo(Buffer.from(text));

describe("logos", () => {
  test.each([
    ["PNG", pngOf(3000, 3000, Buffer.alloc(1)), "image/png"],
    ["JPEG", JPEG, "image/jpeg"],
  ])("takes a %s by its first bytes", (_, bytes, mimeType) => {
    expect(readLogo(bytes)).toEqual({ mimeType, bytes });
  });

  test.each([
    ["PNG of 30,000 by 30,000", pngOf(30_000, 30_000, Buffer.alloc(1)), /at most 3000 × 3000 pixels.*30000 × 30000/],
    ["PNG of 4 by 3,001", pngOf(4, 3001, Buffer.alloc(1)), /at most 3000 × 3000 pixels/],
    ["JPEG of 30,000 by 9", jpegHeader(30_000, 9), /at most 3000 × 3000 pixels/],
    ["PNG that does not say its size", pngOf(9, 9, Buffer.alloc(1)).subarray(0, 20), /no dimensions/],
    ["JPEG that does not say its size", jpegHeader(9, 9).subarray(0, 24), /no dimensions/],
    ["SVG of 5,001 elements", Buffer.from(svg("<g></g>".repeat(5001))), /at most 5000 elements/],
    ["SVG of 51 filter effects", Buffer.from(svg(`<filter>${"<feFlood/>".repeat(51)}</filter>`)), /50 filter effects/],
    ["SVG of 51 effects with a prefix", Buffer.from(svg("<s:feBlend/>".repeat(51))), /50 filter effects/],
  ])("refuses a %s before anything is drawn", (_, bytes, problem) => expect(readLogo(bytes)).toMatch(problem));

  test.each([
    svg('<path d="M0 0h9v9z" fill="url(#g)"/>'),
    `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${svg("")}`,
    svg('<use xlink:href="#a"/><image href="data:image/png;base64,AAAA"/><style>.a{fill:url("#g")}</style>'),
    `<svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:text>Café &amp; Söhne</svg:text></svg:svg>`,
  ])("takes %s", (text) => expect(read(text)).toMatchObject({ mimeType: "image/svg+xml" }));

  test.each([
    svg("<script>alert(1)</script>"),
    svg('<x:SCRIPT xmlns:x="http://www.w3.org/2000/svg"/>'),
    svg('<a-b.c:script xmlns:a-b.c="http://www.w3.org/2000/svg"/>'),
    svg("<foreignObject><p/></foreignObject>"),
    svg("", 'onload="alert(1)"'),
    svg("", "\nonload\n=\n'alert(1)'"),
    svg('<image href="https://example.com/a.png"/>'),
    svg('<image xlink:href = "//example.com/a.png"/>'),
    svg('<image href="data:image/svg+xml;base64,AAAA"/>'),
    svg('<image href="&#104;ttps://example.com/"/>'),
    svg('<use href="other.svg#a"/>'),
    svg('<a href="javascript:alert(1)"/>'),
    svg('<use href="#a" xml:base="https://example.com/"/>'),
    svg('<set attributeName="href" to="https://example.com/"/>'),
    svg('<rect fill="url(https://example.com/a)"/>'),
    svg("<rect style=\"fill:url( 'https://example.com/a')\"/>"),
    svg("<style>@import 'https://example.com/a.css';</style>"),
    svg("<style>.a{background:u\\72l(https://example.com)}</style>"),
    svg("<style>.a{background:image-set('https://example.com' 1x)}</style>"),
    svg("<style><![CDATA[.a{}]]></style>"),
    `<?xml-stylesheet href="#"?>${svg("")}`,
    `<?xml version="1.0" encoding="utf-7"?>${svg("")}`,
    `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("&a;")}`,
  ])("refuses %s", (text) => expect(read(text)).toMatch(/SVG/));

  test.each(["", "<html></html>", "GIF89a", '<p>logo</p><svg xmlns="http://www.w3.org/2000/svg"/>', "\u0000"])(
    "refuses what is no image: %j",
    (text) => expect(read(text)).toMatch(/PNG, JPEG or SVG/),
  );

  test("comes as base64 too", () => {
    const errors: FieldError[] = [];
    const given = Buffer.from(svg("<path/>")).toString("base64");
    expect(decoderOf(logoText())(given, "it", errors)).toEqual(read(svg("<path/>")));
    expect(errors).toEqual([]);
    const large = Buffer.alloc(LOGO_MAX_BYTES + 1).toString("base64");
    for (const refused of [svg("<path/>"), "====", "AAAA", large, 5]) {
      expect(problems(logoText(), refused), String(refused).slice(0, 9)).toEqual(["it"]);
    }
  });

  test("refuses what is too large, and reads the longest refusal at once", () => {
    expect(readLogo(Buffer.alloc(LOGO_MAX_BYTES + 1))).toMatch(/200 KiB/);
    const startedAtMs = performance.now();
    for (const part of ["<!---->", "<!--", "<!DOCTYPE x>", "<!DOCTYPE", " on", "<<", "href=", "url(", "url( "]) {
      read(part.repeat(Math.floor(LOGO_MAX_BYTES / part.length)));
      read(svg(part.repeat(Math.floor(LOGO_MAX_BYTES / part.length) - 20)));
      read(svg(`${part}${" ".repeat(LOGO_MAX_BYTES - 200)}#`));
    }
    // In quadratic time, this takes minutes.
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });
});

describe("the sample request", () => {
  const template = { templateId: 7n, headerFields: [], defaultRows: [], defaultTaxes: [] } as unknown as Template;
  const row = { item: "Tea", sac_code: "0902", description: "", gst: "5.00", total_amount: "10.50" };
  const tax = { name: "Cess", percentage: "1.00", applicable_on: "10.50" };

  test.each([template, { ...template, defaultRows: [row], defaultTaxes: [tax] }])("is an invoice", (given) => {
    const { template_id, invoice } = sampleInvoiceRequest(given, Temporal.PlainDate.from("2026-12-25"));
    expect(template_id).toBe("7");
    expect(invoice).toMatchObject([
      { bill_date: "2026-12-25", due_date: "2027-01-09", bill_cycle_name: "December 2026" },
    ]);
    expect(invoice[0]!.tax_rows).toEqual(given.defaultTaxes);
    expect(decode(invoiceFields, invoice[0]).particular_rows).toHaveLength(1);
  });
});
