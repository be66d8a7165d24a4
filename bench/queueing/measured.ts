// What one machine of two cores did on the day, and with the build, of which costs.ts has the costs: other days are faster or
// slower by a half, servers and PostgreSQL alike.

/** Medians of `npm run bench -- transfers --alternations 2 --seconds 8` at 36462d8, 2026-11-23, by connections. */
export const MEASURED = [
  { connections: 64, finishedPerSecond: 5081, acceptedPerSecond: 8605 },
  { connections: 8, finishedPerSecond: 1697, acceptedPerSecond: 2445 },
  { connections: 1, finishedPerSecond: 360, acceptedPerSecond: 514 },
] as const;
