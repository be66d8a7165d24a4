// What those are called who do something: people, programs, and the service itself.
// What belongs here: English text, by the part of an actor before the colon.

export const actors: Readonly<Record<string, string>> = {
  key: "Access key",
  user: "User",
  operator: "Operator",
  command: "Command line",
  job: "Schedule",
  bank: "Bank",
  franchise: "Franchise",
};
