// Replaces the texts of one language with those of another.

type Texts = { readonly [name: string]: unknown };

const replaced = new Map<string, string[]>();

/** The English texts in whose place this one was put. */
export function englishOf(text: string): readonly string[] {
  return replaced.get(text) ?? [];
}

/** Each text of `words` takes the place of the one of the same name, at every depth. Functions that modules export stay. */
export function putInPlace(texts: Texts, words: Texts): void {
  for (const [name, word] of Object.entries(words)) {
    const text = texts[name];
    if (typeof word === "object" && word !== null) putInPlace(text as Texts, word as Texts);
    else if (text !== word) {
      (texts as Record<string, unknown>)[name] = word;
      if (typeof text === "string") replaced.set(word as string, [...englishOf(word as string), text]);
    }
  }
}
