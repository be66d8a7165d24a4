// Who holds an access key: looked up in batches and remembered for moments, since every request asks. A revocation or
// suspension reaches this process within the memory's second.
import type { Queryable } from "../platform/database/pool.ts";
import { Directory } from "../platform/directory.ts";
import type { AccessKeyName } from "./access-key.ts";
import { findKeyHolders, type KeyHolder } from "./merchant-store.ts";

/** Finds the key and its merchant, at most 1 s old; `null` where there is no such key. */
export class KeyDirectory extends Directory<AccessKeyName, KeyHolder | null> {
  constructor(database: Queryable) {
    super({ lookUp: (names) => findKeyHolders(database, names), keyOf: ({ accessKeyId }) => accessKeyId });
  }
}
