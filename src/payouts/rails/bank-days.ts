// Banks' working days, and the time after which a payment has been open too long. Holidays are data:
// src/payouts/rails/bank-holidays.txt. docs/rules/rails.md#working-days
import { readFileSync } from "node:fs";

export const BANKS_TIME_ZONE = "Asia/Kolkata";
/** After this many working days an operator should check: docs/rules/payouts.md#open-for-too-long. */
const PATIENCE_WORKING_DAYS = 3;
const SATURDAY = 6;
const SUNDAY = 7;

/** Days of every year as `01-26`, and dates as `2026-01-26`. */
export type Holidays = ReadonlySet<string>;

/** Reads a list of holidays. @throws Error that names the invalid line */
export function readHolidays(text: string): Holidays {
  const holidays = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    const [, yearly, date] = /^(?:every (\d\d-\d\d)|(\d{4}-\d\d-\d\d)) \S/.exec(line) ?? [];
    if (line.trim() === "" || line.startsWith("#")) continue;
    const isDay = isDate(date ?? `2024-${yearly}`);
    if (!isDay)
      throw new Error(`line ${index + 1} of the bank holidays is not \`2026-11-24 Name\` or \`every 01-26 Name\``);
    holidays.add(date ?? yearly!);
  }
  return holidays;
}

function isDate(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" }).toString() === text;
  } catch {
    return false;
  }
}

const HOLIDAYS = readHolidays(readFileSync(new URL("./bank-holidays.txt", import.meta.url), "utf8"));

/** Whether banks work on a day: on all but Sundays, second and fourth Saturdays, and holidays. */
export function isWorkingDay(day: Temporal.PlainDate, holidays: Holidays = HOLIDAYS): boolean {
  const date = day.toString();
  if (day.dayOfWeek === SUNDAY || holidays.has(date) || holidays.has(date.slice("2026-".length))) return false;
  const weekOfMonth = Math.ceil(day.day / 7);
  return day.dayOfWeek !== SATURDAY || (weekOfMonth !== 2 && weekOfMonth !== 4);
}

/**
 * The start of the earliest day that still has time: payments accepted before it have been open for three whole working days.
 */
export function staleBefore(now: Temporal.Instant, holidays: Holidays = HOLIDAYS): Temporal.Instant {
  let day = now.toZonedDateTimeISO(BANKS_TIME_ZONE).toPlainDate();
  for (let workingDays = 0; workingDays < PATIENCE_WORKING_DAYS;) {
    day = day.subtract({ days: 1 });
    if (isWorkingDay(day, holidays)) workingDays += 1;
  }
  return day.toZonedDateTime(BANKS_TIME_ZONE).toInstant();
}
