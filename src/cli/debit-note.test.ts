// The options of `nodal debit-note`: refused typos, and their messages.
import { expect, test } from "vitest";
import type { NodalError } from "../platform/errors.ts";
import { showCommand } from "./debit-note.ts";

test.each(["29149x", "DN-2627-00001", ""])("%j is no debit note, and the refusal says so", (debitNote) => {
  let refused: NodalError | null = null;
  try {
    showCommand.read({ merchant: "1000001", debitNote });
  } catch (error) {
    refused = error as NodalError;
  }
  expect(refused?.errors.map(({ field }) => field)).toEqual(["--debit-note"]);
  const problem = refused?.errors[0]?.problem;
  expect(problem).toMatch(/a debit note's id, such as R000029149, which `nodal debit-note list` shows/);
  expect(problem).not.toMatch(/invoice's id/);
});
