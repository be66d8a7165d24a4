// The field of an address's state, which decides the taxes. platform/indian-states.ts reads states.
import { nearestStates, readState } from "../indian-states.ts";
import { decoderOf, fail, requiredField } from "./field.ts";
import { text, type Field } from "./fields.ts";

/**
 * A state of India or "Other country": a name in English or Hindi, an abbreviation or a GST code, kept as sent.
 * Unreadable text is refused, since the state decides the taxes: docs/rules/invoicing.md#reading-a-state.
 */
export function indianState(): Field<string> {
  const hint = 'a state of India, by its name or GST code, or "Other country" for an address abroad';
  const rule = { hint, maxLength: 100, takesNumber: true };
  const decodeText = decoderOf(text(rule));
  const schema = { type: ["string", "number"], minLength: 1, maxLength: 100, examples: ["Karnataka", "KA", "29"] };
  return requiredField(schema, hint, (value, path, errors) => {
    const before = errors.length;
    const given = decodeText(value, path, errors);
    if (errors.length > before || readState(given)) return given;
    const nearest = nearestStates(given);
    const advice = nearest.length > 0 ? ` The nearest: ${nearest.join(", ")}.` : "";
    fail(errors, path, "invalid", `must be ${hint}.${advice}`);
    return "";
  });
}
