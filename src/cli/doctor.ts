// `nodal doctor`: what stands in the way of running here, with remedies.
import { diagnose } from "../installation/index.ts";
import { findSettingsFile, readSettings } from "../platform/settings-file.ts";
import { command } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { formatTable, paragraphs } from "./output.ts";

export const doctor = command(
  {
    description:
      "look at settings, folders, database, keys, clocks, port, proxy, mail and disk; exit 1 where one is wrong",
    example: "nodal doctor",
  },
  async () => {
    const config = readSettings(process.env);
    const settingsFile = findSettingsFile(process.env);
    const found = await diagnose(config, { settingsFile, logger: createCommandLogger(config) });
    const remedies = found.filter(({ remedy }) => remedy !== "").map(({ check, remedy }) => `${check}: ${remedy}`);
    return {
      json: found,
      text: paragraphs(formatTable(found, "", ["check", "state", "finding"]), remedies.join("\n")),
      exitCode: found.some(({ state }) => state === "wrong") ? 1 : 0,
    };
  },
);
