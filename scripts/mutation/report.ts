// The report of a run: scores, and the mutants that no test notices, each with the reason why that is no gap.
// What belongs here: counting, matching reasons, and Markdown.
import { LEAST_SCORE } from "./groups.ts";
import type { Outcome } from "./outcome.ts";
import { ACCEPTED, type Accepted } from "./accepted.ts";

type Count = { killed: number; all: number };

/** What a run comes to. `isGood` where each language has its score and each survivor its reason. */
export type Report = { readonly text: string; readonly isGood: boolean; readonly unexplained: readonly Outcome[] };

/** Describes the outcomes of a run that was made on this day. */
export function describeOutcomes(outcomes: readonly Outcome[], date: string): Report {
  const survivors = outcomes.filter(isAlive);
  const unexplained = survivors.filter((outcome) => reasonOf(outcome) === null);
  const scores = (["TypeScript", "SQL"] as const)
    .map((language) => ({ language, ...count(outcomes.filter((outcome) => outcome.language === language)) }))
    .filter(({ all }) => all > 0);
  const sections = [
    `Run of ${date}.`,
    table(
      ["", "Mutants", "Killed", "Score"],
      scores.map(({ language, killed, all }) => [language, String(all), String(killed), percent({ killed, all })]),
    ),
    table(
      ["File, SQL function or table", "Mutants", "Killed", "Score"],
      [...Map.groupBy(outcomes, ({ file }) => file)].map(([file, own]) => {
        const counted = count(own);
        return [`\`${file}\``, String(counted.all), String(counted.killed), percent(counted)];
      }),
    ),
    "### Survivors",
    survivors.length === 0 ? "None." : table(["Where", "Mutant", "Why it is no gap"], describeSurvivors(survivors)),
  ];
  const isGood = unexplained.length === 0 && scores.every(({ killed, all }) => killed * 100 >= all * LEAST_SCORE);
  return { text: `${sections.join("\n\n")}\n`, isGood, unexplained };
}

function isAlive({ status }: Outcome): boolean {
  return status === "Survived" || status === "NoCoverage";
}

function count(outcomes: readonly Outcome[]): Count {
  return { killed: outcomes.filter((outcome) => !isAlive(outcome)).length, all: outcomes.length };
}

function percent({ killed, all }: Count): string {
  return `${(Math.floor((killed * 1000) / all) / 10).toFixed(1)} %`;
}

function describeSurvivors(survivors: readonly Outcome[]): string[][] {
  return survivors.map((outcome) => {
    const { file, line, replacement } = outcome;
    const mutant = replacement === "" ? `${code(line)} without it` : `${code(line)} → ${code(replacement)}`;
    return [`\`${file}\``, mutant, reasonOf(outcome) ?? "**not explained**"];
  });
}

function reasonOf(outcome: Outcome): string | null {
  return ACCEPTED.find((accepted) => isAbout(accepted, outcome))?.reason ?? null;
}

/** Whether a reason is about this mutant: by its text, since numbers of lines change. */
export function isAbout({ file, line, replacement }: Accepted, outcome: Outcome): boolean {
  return file === outcome.file && outcome.line.includes(line) && outcome.replacement.includes(replacement);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

function code(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return `\`\`${oneLine.startsWith("`") ? " " : ""}${oneLine}${oneLine.endsWith("`") ? " " : ""}\`\``;
}
