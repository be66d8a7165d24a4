// Common periods for lists, as dates of the API. The financial year is the one from April to March; quarters begin in January, April, July and October.

export type Period = { readonly name: PeriodName; readonly from: string; readonly to: string };
export type PeriodName = "today" | "thisMonth" | "lastMonth" | "thisQuarter" | "lastQuarter" | "thisYear" | "lastYear";

const APRIL = 4;

/** The periods that contain a day, completely: including their future days. */
export function periodsAround(today: string): readonly Period[] {
  const [year = 0, month = 0] = today.split("-").map(Number);
  const startYear = month < APRIL ? year - 1 : year;
  const quarter = Math.ceil(month / 3);
  return [
    { name: "today", from: today, to: today },
    { name: "thisMonth", ...monthOf(year, month) },
    { name: "lastMonth", ...(month === 1 ? monthOf(year - 1, 12) : monthOf(year, month - 1)) },
    { name: "thisQuarter", ...quarterOf(year, quarter) },
    { name: "lastQuarter", ...(quarter === 1 ? quarterOf(year - 1, 4) : quarterOf(year, quarter - 1)) },
    { name: "thisYear", ...financialYear(startYear) },
    { name: "lastYear", ...financialYear(startYear - 1) },
  ];
}

function monthOf(year: number, month: number) {
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return { from: dateOf(year, month, 1), to: dateOf(year, month, lastDay) };
}

function quarterOf(year: number, quarter: number) {
  return { from: monthOf(year, 3 * quarter - 2).from, to: monthOf(year, 3 * quarter).to };
}

function financialYear(startYear: number) {
  return { from: dateOf(startYear, APRIL, 1), to: dateOf(startYear + 1, APRIL - 1, 31) };
}

function dateOf(year: number, month: number, day: number): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
