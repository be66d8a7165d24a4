// The most expensive JSON bodies that a caller without keys can send.

const WRONG_KEYS = '"access_key_id":"nk_1_1000_0123456789ab","secret_access_key":"ns_wrong"';

/** Bodies of about this many bytes, one of each shape. */
export function hostileBodies(bytes: number): string[] {
  const filled = (piece: string): string => piece.repeat(Math.floor((bytes - 200) / piece.length));
  const shapes = Array.from({ length: Math.floor(bytes / 26) }, (_, index) => {
    const name = index.toString(36);
    return `{"${name}":1e3,"z${name}":2}`;
  });
  return [
    // One number that a double would change, and many.
    `{"a":1e3,"b":[${filled("1,")}1]}`,
    `{"a":[${filled("1e3,")}1]}`,
    `{${WRONG_KEYS},"a":[${filled("1e3,")}1]}`,
    // No two objects alike; the keys come last.
    `{"a":[${shapes.join(",")}],${WRONG_KEYS}}`,
    // Never closed; names that are almost those of the keys; a text of escaped quotes.
    `{"a":1e3${filled("[")}`,
    `{${filled('"access_key_ie":1,')}${WRONG_KEYS}}`,
    `{"a":"${filled('\\"')}"}`,
  ];
}
