// `nodal doctor`: problems that prevent running here, with remedies.
import { diagnose, START_RULES } from "../installation/index.ts";
import { checkSettings, findSettingsFile } from "../platform/settings-file.ts";
import { command } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { formatTable, paragraphs } from "./output.ts";

export const doctor = command(
  {
    description: "check settings, folders, database, keys, clocks, port, proxy, mail and disk; exit 1 if one fails",
    example: "nodal doctor",
  },
  async () => {
    const { config, problems } = checkSettings(process.env, { rules: START_RULES });
    const isUsable = checkSettings(process.env).problems.length === 0;
    const settings = { config, problems, isUsable, file: findSettingsFile(process.env) };
    const found = await diagnose(settings, createCommandLogger(config));
    const remedies = found.filter(({ remedy }) => remedy !== "").map(({ check, remedy }) => `${check}: ${remedy}`);
    return {
      json: found,
      text: paragraphs(formatTable(found, "", ["check", "state", "finding"]), remedies.join("\n")),
      exitCode: found.some(({ state }) => state === "wrong") ? 1 : 0,
    };
  },
);
