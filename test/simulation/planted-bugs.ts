// Bugs that are planted into the code as it is loaded, to show that a simulation finds them. The code itself stays as
// it is. `--import` loads this before a simulation.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

type Planted = { readonly file: string; readonly changes: readonly (readonly [from: string, to: string])[] };

const BUGS: Readonly<Record<string, Planted>> = {
  "a new id after a timeout": {
    file: "src/payouts/dispatch/bank-calls.ts",
    changes: [
      [
        "rail.submit(instruction, signal)",
        `rail.submit(
          work.attempts > 0 ? { ...instruction, transferId: instruction.transferId + BigInt(work.attempts) } : instruction,
          signal,
        ).then((report) => ({ ...report, transferId: instruction.transferId }))`,
      ],
    ],
  },
  "a hold released twice": {
    file: "src/payouts/batch/batch-draft.ts",
    changes: [
      [
        "this.#post(book, transfer, state, posting);",
        `this.#post(book, transfer, state, posting);
        if (posting === "failed") {
          book.movement.held -= amountPaise;
          book.movement.available += amountPaise;
        }`,
      ],
    ],
  },
  "webhooks applied by arrival": {
    file: "src/payouts/providers/provider-notices.ts",
    changes: [
      [
        "const report = await connector.status(reference, signal);",
        `const said = { ...reference, status: notice.claims, utr: null, reason: null, acknowledged: false, fee: null };
        const report = notice.claims ? said : await connector.status(reference, signal);`,
      ],
    ],
  },
  "a journal entry outside of the transaction": {
    file: "src/payouts/batch/write-store.ts",
    changes: [
      ["addEntries(parameters, books, keys, nowName),", ""],
      ['${["slots", "available", ...checks].join(", ")}', '${["slots", "available", "earlier", ...checks].join(", ")}'],
      [
        "const { rows } = await db.query<{ slots: number[]; available: (bigint | null)[] }>(statement);",
        `const { rows } = await db.query(statement);
        const later = new Parameters();
        const now2 = later.add("timestamptz", now.toString());
        const of = {
          buckets: later.add("smallint[]", books.map(({ bucket }) => bucket)),
          merchantIds: later.add("bigint[]", books.map(({ merchantId }) => merchantId)),
        };
        const ofBooks = later.add("integer[]", rows[0].slots);
        const earlier = later.add("bigint[]", rows[0].earlier);
        const entered = addEntries(later, books, of, now2);
        const ok = \`ok as (select \${ofBooks} as slots, \${earlier} as earlier)\`;
        await db.query({ text: \`with \${ok}, \${entered} select 1\`, values: later.values });`,
      ],
    ],
  },
  "a late success not booked": {
    file: "src/payouts/transfer.ts",
    changes: [['return status === "SUCCESS" ? { state: "SUCCESS", posting: "late_success" } : null;', "return null;"]],
  },
  "a suspension or a policy that is overlooked": {
    file: "src/ledger/batch-store.ts",
    changes: [[" and book.terms_version = move.terms", ""]],
  },
  "a suspension that says nothing of the terms": {
    file: "src/ledger/journal-store.ts",
    changes: [['  "login",\n]);', '  "login",\n  "merchant",\n]);']],
  },
  "one entry number given by two servers": {
    file: "src/payouts/batch/write-store.ts",
    changes: [
      [
        "addEntries(parameters, books, keys, nowName),",
        `isHeld
          ? addEntries(parameters, books, keys, nowName)
          : addEntries(parameters, books, keys, nowName).replace(
              "((select earlier from ok)::bigint[])[slot]",
              \`coalesce((\${parameters.add(
                "bigint[]",
                books.map(({ merchantId, entries }) => {
                  const last = globalThis.lastNumbers?.get(merchantId) ?? null;
                  if (last !== null) globalThis.lastNumbers.set(merchantId, last + BigInt(entries.length));
                  return last;
                }),
              )})[slot], ((select earlier from ok)::bigint[])[slot])\`,
            ),`,
      ],
      ['${["slots", "available", ...checks].join(", ")}', '${["slots", "available", "earlier", ...checks].join(", ")}'],
      [
        "const { slots, available } = rows[0]!;",
        `const { slots, available, earlier } = rows[0]!;
        globalThis.lastNumbers ??= new Map();
        for (const { slot, merchantId, entries } of books)
          if (earlier[slot - 1] !== null)
            globalThis.lastNumbers.set(merchantId, earlier[slot - 1] + BigInt(entries.length));`,
      ],
    ],
  },
  "a balance that falls below zero": {
    file: "src/ledger/batch-store.ts",
    changes: [["book.available_paise + move.lowest >= 0 and ", ""]],
  },
  "failures that are never re-checked": {
    file: "src/payouts/providers/payment-review-store.ts",
    changes: [["transfer.state in ('SUCCESS', 'FAILED', 'REJECTED')", "transfer.state = 'SUCCESS'"]],
  },
};

export const PLANTED_BUGS = Object.keys(BUGS);
/** Names the bug in the environment of a simulation. */
export const BUG_VARIABLE = "NODAL_PLANTED_BUG";

const name = process.env[BUG_VARIABLE];
if (name !== undefined) plant(BUGS[name]!);

function plant({ file, changes }: Planted): void {
  const address = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== address) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
      for (const [from, to] of changes) {
        if (source.split(from).length !== 2) throw new Error(`${file} has not once what the bug replaces: ${from}`);
        source = source.replace(from, () => to);
      }
      return { ...loaded, source };
    },
  });
}
