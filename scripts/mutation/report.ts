// The report of a group's run: scores, and the mutants that no test notices, each with the reason why that is no gap.
// What belongs here: counting, matching reasons, and Markdown.
import { ACCEPTED, type Accepted } from "./accepted.ts";
import { LEAST_SCORE } from "./groups.ts";
import type { Outcome } from "./outcome.ts";

type Count = { readonly killed: number; readonly all: number };

/** What a run of a group comes to. `isGood` where its score is reached and each survivor has its reason. */
export type Report = { readonly text: string; readonly isGood: boolean };

/** Describes the outcomes of a group's run that was made on this day. */
export function describeOutcomes(outcomes: readonly Outcome[], date: string): Report {
  const survivors = outcomes.filter(isAlive);
  const counted = count(outcomes);
  const rows = [...Map.groupBy(outcomes, ({ file }) => file)].map(([file, own]) => describeCount(file, count(own)));
  const sections = [
    `${counted.killed} of ${counted.all} mutants killed: ${percent(counted)}. Run of ${date}.`,
    table(["Where", "Mutants", "Killed", "Score"], rows),
    ...(survivors.length > 0 ? [table(["Alive in", "Mutant", "Why it is no gap"], describeSurvivors(survivors))] : []),
  ];
  const isGood =
    counted.killed * 100 >= counted.all * LEAST_SCORE && survivors.every((outcome) => reasonOf(outcome) !== null);
  return { text: `${sections.join("\n\n")}\n`, isGood };
}

/** The page with a group's report in place of its earlier one, which stands under a heading with the group's name. */
export function replaceReport(page: string, group: string, text: string): string {
  const parts = page.split(/^(?=### )/m).map((part) => part.trimEnd());
  const section = `### ${group}\n\n${text.trimEnd()}`;
  const place = parts.findIndex((part) => part.startsWith(`### ${group}\n`));
  return `${(place < 0 ? [...parts, section] : parts.with(place, section)).join("\n\n")}\n`;
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

function describeCount(file: string, counted: Count): string[] {
  return [`\`${file}\``, String(counted.all), String(counted.killed), percent(counted)];
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
