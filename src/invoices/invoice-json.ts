// An invoice's content as JSON in the database: amounts and rates are strings of digits, since JSON numbers are floats.
// What belongs here: that form, both ways.
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { InvoiceContent } from "./invoice.ts";

const BIGINTS = new Set(["gstThousandths", "amountPaise", "percentThousandths", "applicableOnPaise"]);

const digits = Type.String({ pattern: "^[0-9]+$" });
/** A check that what is read was written here; the types of its members follow from that. */
const isContent = Compile(
  Type.Object({
    headerFields: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), value: Type.String() })),
    rows: Type.Array(Type.Object({ item: Type.String(), gstThousandths: digits, amountPaise: digits })),
    taxes: Type.Array(Type.Object({ name: Type.String(), percentThousandths: digits, amountPaise: digits })),
    supply: Type.String(),
    supplier: Type.Object({ name: Type.String() }),
    recipient: Type.Object({ name: Type.String() }),
  }),
);

/** The content as JSON text. */
export function contentToJson(content: InvoiceContent): string {
  return JSON.stringify(content, (_name, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

/**
 * Reads what `contentToJson` wrote, once the driver has parsed it.
 * @throws Error where it is something else
 */
export function contentFromJson(json: unknown): InvoiceContent {
  if (!isContent.Check(json)) throw new Error("an invoice's content can't be read");
  const revive = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(revive);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        BIGINTS.has(name) ? BigInt(member as string) : revive(member),
      ]),
    );
  };
  return revive(json) as InvoiceContent;
}
