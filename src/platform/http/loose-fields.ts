// Fields of an unfinished form: the members of a request, each possibly missing or half typed.
import { NumberLiteral, type JsonObject } from "../json.ts";
import { decoderOf, isField, optional, requiredField, type Decode, type Field, type JsonSchema } from "./field.ts";
import { list, object, text } from "./fields.ts";

/** A value of a half-filled field may be longer than the field takes, so that nobody loses what they typed. */
const MAX_LENGTH = 2000;

/**
 * An object with the members of `field` and of its nested objects. Any may be missing. Values are text, numbers or
 * flags, and only their length and characters are checked. Unknown members are dropped, as in a request.
 */
export function loose(field: Field<unknown>): Field<JsonObject> {
  return looseObject(field as unknown as Schema) as Field<JsonObject>;
}

type Schema = JsonSchema & { readonly properties?: Readonly<Record<string, Schema>>; readonly items?: Schema };

function looseObject({ properties = {} }: Schema): Field<unknown> {
  const members = Object.entries(properties).map(([name, member]) => [name, optional(looseField(member))]);
  return object(Object.fromEntries(members) as Readonly<Record<string, Field<unknown>>>);
}

function looseField(schema: Schema): Field<unknown> {
  if (schema.properties) return looseObject(schema);
  if (schema.items && isField(schema.items)) return list(looseField(schema.items), schema["maxItems"] as number, 0);
  return value();
}

function value(): Field<string> {
  const given = text({ hint: `text of at most ${MAX_LENGTH} characters`, maxLength: MAX_LENGTH, takesLines: true });
  const decodeText = decoderOf(given);
  const decode: Decode<string> = (sent, path, errors) => decodeText(asText(sent), path, errors);
  const schema = { type: ["string", "number", "boolean"], maxLength: MAX_LENGTH };
  return requiredField(schema, `text of at most ${MAX_LENGTH} characters`, decode);
}

/** Numbers become their source text; other types are refused by the text's check. */
function asText(sent: unknown): unknown {
  if (sent instanceof NumberLiteral) return sent.text;
  if (typeof sent === "boolean") return sent ? "1" : "0";
  return typeof sent === "number" ? String(sent) : sent;
}
