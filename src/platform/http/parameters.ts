// Query parameters. Unknown members of a body are ignored, but unknown parameters are refused: ignoring a filter would
// return too much.
import { decoderOf, encoderOf, fail, requiredField, type Decode, type Decoded, type Field } from "./field.ts";
import { object } from "./fields.ts";
import { nearestName } from "./unknown-members.ts";

type Fields = { readonly [name: string]: Field<unknown> };
type Values<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };

/** A query with only these parameters: docs/api.md#requests */
export function parameters<F extends Fields>(fields: F): Field<Values<F>> {
  const known = object(fields);
  const names = Object.keys(fields);
  const decodeKnown = decoderOf(known);
  const decode: Decode<Values<F>> = (value, path, errors) => {
    for (const name of Object.keys(value as object)) {
      if (!Object.hasOwn(fields, name)) fail(errors, name, "unknown", sayUnknown(name, names));
    }
    return decodeKnown(value, path, errors);
  };
  const { type, properties, required } = known as unknown as Readonly<Record<string, unknown>>;
  const schema = { type, properties, ...(required ? { required } : {}), additionalProperties: false };
  return requiredField(schema, "an object", decode, { encode: encoderOf(known) });
}

function sayUnknown(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  if (names.length === 0) return "is not a parameter of this address, which takes none.";
  const hint = nearest === null ? "" : ` The nearest known name is ${nearest}.`;
  return `is not a parameter of this address.${hint} It takes ${names.join(", ")}.`;
}
