// The errors that a form finds before it sends, and the fields that they belong to.
import type { ReactNode } from "react";
import { fieldError } from "./field-errors.ts";

/** A check for each field that has one; `null` if its value is right. */
export type Rules<Values> = {
  readonly [Name in keyof Values]?: (value: Values[Name], values: Values) => ReactNode;
};

/**
 * The errors of the fields that a form shows: what it hides is not sent, and could not be corrected. A saved value that stays as it was is
 * the server's to judge.
 */
export function shownErrors(
  form: HTMLFormElement | null,
  values: unknown,
  initialValues: unknown,
): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const node of form?.querySelectorAll<HTMLInputElement>("[data-path]") ?? []) {
    const path = node.dataset["path"]!;
    const value = valueAt(values, path);
    if (typeof value !== "string" || node.disabled) continue;
    if (value !== "" && value === valueAt(initialValues, path)) continue;
    const error = fieldError(path, value, node.required);
    if (error !== null) errors[path] = error;
  }
  return errors;
}

/** The value of a field, which may be inside others; `undefined` if the form has no such field. */
export function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], values);
}

/** The errors by a form's own rules. */
export function ownErrors<Values extends object>(values: Values, rules: Rules<Values> = {}): Record<string, ReactNode> {
  const checked = (Object.keys(rules) as (keyof Values & string)[]).map((name) => [
    name,
    rules[name]?.(values[name], values) ?? null,
  ]);
  return Object.fromEntries(checked.filter(([, error]) => error !== null)) as Record<string, ReactNode>;
}

/** Moves the focus to the first field with an error. */
export function focusFirst(form: HTMLFormElement | null, errors: Readonly<Record<string, ReactNode>>): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
  fields.find(({ dataset }) => errors[dataset["path"]!] !== undefined)?.focus();
}
