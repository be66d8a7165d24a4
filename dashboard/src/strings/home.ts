// What the first page says, a merchant's and an operator's.
// What belongs here: English text, and functions that put values into it.

export const home = {
  today: (day: string, zone: string) => `${day}, ${zone}`,
} as const;

export const operator = {
  merchants: "Merchants",
  search: "Search by name or e-mail",
  name: "Name",
  id: "Number",
  email: "E-mail",
  status: "Status",
  mode: "Mode",
  live: "Live",
  sandbox: "Sandbox",
  created: "Since",
  empty: "No merchants yet",
  emptyHint: "Make the first one with: nodal merchant create --name … --email …",
} as const;
