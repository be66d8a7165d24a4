// Dates and times for people. The server sends them with the offset of the merchant's time zone, so nothing is converted here.
import { dates } from "../strings/dates.ts";

const WIRE = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}:\d{2}))?/;

/** A date stays on one line. */
const SPACE = "\u00a0";

/** `"2026-11-01"`, with or without a time, is `1 Nov 2026`. Any other text is returned unchanged. */
export function day(text: string): string {
  const match = WIRE.exec(text);
  return match ? [Number(match[3]), dates.months[Number(match[2]) - 1] ?? "", match[1]].join(SPACE) : text;
}

/** `"2026-11-26"` is `Thu, 26 Nov 2026`. */
export function dayOfWeek(text: string): string {
  const weekday = new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return `${dates.weekdays[(weekday + 6) % 7] ?? ""}, ${day(text)}`;
}

/** `"2026-11-01T14:03:59+05:30"` is `1 Nov 2026, 14:03`. */
export function moment(text: string): string {
  const time = WIRE.exec(text)?.[4];
  return time === undefined ? day(text) : `${day(text)}, ${time}`;
}

/** A moment of this browser's own clock, in milliseconds, as it shows it: `1 Nov 2026, 14:03`. */
export function momentOf(ms: number): string {
  const at = new Date(ms);
  return moment(`${dateOfBrowser(ms)} ${two(at.getHours())}:${two(at.getMinutes())}`);
}

/** The date of such a moment, as YYYY-MM-DD. */
export function dateOfBrowser(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** `"2026-11"`, or any date in it, is `Nov 26`. */
export function month(text: string): string {
  return `${dates.months[Number(text.slice(5, 7)) - 1] ?? ""} ${text.slice(2, 4)}`;
}

const DAY_MS = 86_400_000;

/** The date so many days after another, by the calendar and without time zones. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The days from one date to another; `null` if either is no date. */
export function daysBetween(from: string, to: string): number | null {
  const days = (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
  return Number.isFinite(days) ? days : null;
}
