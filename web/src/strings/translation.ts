// The shape of another language's words: that of the English ones, key by key.

/** The same keys with other texts: a missing one, or a function with other parameters, is a type error. */
export type Translation<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends object
      ? { readonly [Key in keyof T]: Translation<T[Key]> }
      : T;
