// `nodal rebalance`: where the buckets are on Citus, and moving them so that each node has its share.
import {
  isUnderWay,
  readBalance,
  startRebalancing,
  stopRebalancing,
  type Balance,
} from "../platform/database/rebalance.ts";
import { fail } from "../platform/http/field.ts";
import { flag, installationCommand } from "./command.ts";
import { formatTable, paragraphs } from "./output.ts";

export const rebalance = installationCommand({
  description:
    "on Citus: show how many buckets each node has, and what to move; with --confirm, move them while servers run",
  example: "nodal rebalance --confirm",
  options: {
    confirm: flag("have Citus move them, in the background; without options, this command shows how far it is"),
    stop: flag("end that: what has moved stays, what is on its way goes on where it was"),
  },
  check({ confirm, stop }, errors) {
    if (confirm && stop) fail(errors, "stop", "not_allowed", "goes without --confirm.");
  },
  async run({ ownerPool }, { confirm, stop }) {
    const before = await readBalance(ownerPool);
    const stops = stop === true && isUnderWay(before);
    const starts = confirm === true && !isUnderWay(before) && before.moves.length > 0;
    if (stops) await stopRebalancing(ownerPool);
    if (starts) await startRebalancing(ownerPool);
    const balance = starts || stops ? await readBalance(ownerPool) : before;
    const { nodes, moves, last } = describe(balance);
    return {
      json: { nodes, moves, last },
      text: paragraphs(
        formatTable(nodes, ""),
        formatTable(moves, "Each node has its share: there is nothing to move."),
        last === null ? "" : formatTable([last], "", ["state", "started_at", "finished_at"]),
        adviceOf(balance, { starts, stops }),
      ),
    };
  },
});

function adviceOf(balance: Balance, { starts, stops }: { starts: boolean; stops: boolean }): string {
  if (stops) return "It was stopped. `nodal rebalance --confirm` goes on.";
  if (starts) return "It has begun: `nodal rebalance` shows how far it is.";
  if (isUnderWay(balance)) return "It is under way; `--stop` ends it.";
  return balance.moves.length === 0 ? "" : "Nothing was moved. Add --confirm to move them: servers go on meanwhile.";
}

function describe({ nodes, moves, last }: Balance) {
  return {
    nodes: nodes.map(({ node, active, takesRows, groups, bytes }) => {
      return {
        node,
        state: active ? "active" : "inactive",
        takes_rows: takesRows,
        groups: Number(groups),
        bytes: Number(bytes),
      };
    }),
    moves: moves.map(({ from, to, groups }) => ({ from, to, groups: Number(groups) })),
    last: last && {
      job_id: String(last.jobId),
      state: last.state,
      started_at: last.startedAt?.toString() ?? null,
      finished_at: last.finishedAt?.toString() ?? null,
      details: last.details,
    },
  };
}
