// Search parameters of links to lists and forms.
// What belongs here: between our plain texts and the router's types, which are for parameters that it is told of.

/** Texts as the search of a `Link`. Every page reads its own with `useSearch({ strict: false })`. */
export function searchOf(texts: Readonly<Record<string, string>>): never {
  return texts as never;
}
