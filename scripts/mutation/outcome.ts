// What became of a mutant, whichever tool made it.

export type Outcome = {
  /** The file, or the function or table of the database. */
  readonly file: string;
  /** The line that is mutated, without its indentation. */
  readonly line: string;
  readonly replacement: string;
  readonly status: "Killed" | "Timeout" | "Survived" | "NoCoverage";
};
