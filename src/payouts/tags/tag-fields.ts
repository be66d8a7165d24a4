// Tags of payouts, as requests name them. docs/rules/payouts.md#tags
import { TAG_LENGTH, TAG_PATTERN } from "../../platform/as-typed.ts";
import type { FieldError } from "../../platform/errors.ts";
import { decoderOf, fail, requiredField, type Decode, type Field } from "../../platform/http/field.ts";
import { list, text } from "../../platform/http/fields.ts";

/** The most tags of a payout. */
const MAX_TAGS = 10;

const TYPED = text({
  hint: `text of 1 to ${TAG_LENGTH} letters, digits, spaces, - _ . and /`,
  maxLength: TAG_LENGTH,
  pattern: TAG_PATTERN,
  plainPattern: /^[^,;]+$/,
});
const LISTED = list(TYPED, MAX_TAGS, 0);

/** One tag, to search by. */
export const tagField = (): Field<string> => TYPED;

/** The beginning of a tag, to look tags up by. */
export const tagStart = (): Field<string> => text({ hint: "the beginning of a tag", maxLength: TAG_LENGTH });

/** All tags of a payout, each at most once in any case. */
export function tagsField(): Field<string[]> {
  const decodeListed = decoderOf(LISTED);
  const hint = `an array of at most ${MAX_TAGS} tags`;
  const decode: Decode<string[]> = (value, path, errors) => {
    const before = errors.length;
    const given = decodeListed(value, path, errors);
    if (errors.length > before) return [];
    const tags = given.map((tag) => tag.normalize("NFC"));
    refuseRepeated(tags, path, errors);
    return tags;
  };
  const schema = { type: "array", items: TYPED, maxItems: MAX_TAGS };
  return requiredField(schema, hint, decode, { encode: (tags) => tags });
}

function refuseRepeated(tags: readonly string[], path: string, errors: FieldError[]): void {
  const keys = tags.map(tagKey);
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) === index) continue;
    fail(errors, `${path}[${index}]`, "not_allowed", `is listed twice (${tags[index]}): remove one of the two.`);
  }
}

/** The comparison key of a tag: equal for tags that differ only in case. */
export function tagKey(tag: string): string {
  return tag.normalize("NFC").toLowerCase();
}
