// `nodal rebalance`: show the buckets' nodes on Citus, and rebalance them.
import {
  isUnderWay,
  readBalance,
  startRebalancing,
  stopRebalancing,
  type Balance,
} from "../platform/database/citus/index.ts";
import { fail } from "../platform/http/field.ts";
import { flag, installationCommand } from "./command.ts";
import { formatTable, paragraphs } from "./output.ts";

export const rebalance = installationCommand({
  description: "on Citus: show the buckets of each node and planned moves; with --confirm, move them while servers run",
  example: "nodal rebalance --confirm",
  options: {
    confirm: flag("move them in the background; run without options to see progress"),
    stop: flag("stop moving: finished moves stay, the current one is undone"),
  },
  check({ confirm, stop }, errors) {
    if (confirm && stop) fail(errors, "stop", "not_allowed", "can't be combined with --confirm.");
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
        formatTable(moves, "The nodes are balanced: nothing to move."),
        last === null ? "" : formatTable([last], "", ["state", "started_at", "finished_at"]),
        adviceOf(balance, { starts, stops }),
      ),
    };
  },
});

function adviceOf(balance: Balance, { starts, stops }: { starts: boolean; stops: boolean }): string {
  if (stops) return "Stopped. `nodal rebalance --confirm` resumes.";
  if (starts) return "Started: `nodal rebalance` shows the progress.";
  if (isUnderWay(balance)) return "In progress; `--stop` ends it.";
  return balance.moves.length === 0 ? "" : "Nothing was moved. Add --confirm to move them; servers keep running.";
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
