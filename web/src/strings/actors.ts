// What those are called who do something: people, programs, and the service itself.

export const actors: Readonly<Record<string, string>> = {
  key: "Access key",
  user: "User",
  operator: "Operator",
  command: "Command line",
  job: "Schedule",
  bank: "Bank",
  franchise: "Franchise",
};
