// Bugs that are planted into the code as it is loaded, to show that a simulation finds them. The code itself stays as
// it is. `--import` loads this before a simulation.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

type Planted = { readonly file: string; readonly changes: readonly (readonly [from: string, to: string])[] };

const BUGS: Readonly<Record<string, Planted>> = {
  "a new id after a timeout": {
    file: "src/payouts/bank-calls.ts",
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
        "const report = await connector.status(reference, this.#worker.stopping);",
        `const said = { ...reference, status: notice.claims, utr: null, reason: null, acknowledged: false, fee: null };
        const report = notice.claims ? said : await connector.status(reference, this.#worker.stopping);`,
      ],
    ],
  },
  "a journal entry outside of the transaction": {
    file: "src/payouts/batch/write-store.ts",
    changes: [
      ["addEntries(parameters, books, keys, nowName),", ""],
      [
        "const { rows } = await db.query<{ slots: number[] }>(statement);",
        `const { rows } = await db.query(statement);
        const later = new Parameters();
        const now2 = later.add("timestamptz", now.toString());
        const of = {
          buckets: later.add("smallint[]", books.map(({ bucket }) => bucket)),
          merchantIds: later.add("bigint[]", books.map(({ merchantId }) => merchantId)),
        };
        const slots = later.add("integer[]", rows[0].slots);
        const entered = addEntries(later, books, of, now2);
        await db.query({ text: \`with ok as (select \${slots} as slots), \${entered} select 1\`, values: later.values });`,
      ],
    ],
  },
  "a late success not booked": {
    file: "src/payouts/transfer.ts",
    changes: [['return status === "SUCCESS" ? { state: "SUCCESS", posting: "late_success" } : null;', "return null;"]],
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
