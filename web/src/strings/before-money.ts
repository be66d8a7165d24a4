// What is said before money moves: what is there, what will be left, which way it goes, who has to approve it.

export const beforeMoney = {
  mode: "Mode",
  available: "Available now",
  left: "Left afterwards",
  leftToday: "Left of today’s limit",
  needsApproval: (over: string) =>
    `Payouts above ${over} need a second person. The amount is set aside, and leaves once somebody with the permission to approve has approved it.`,
  later: "Checked again on its day: nothing is held before.",
} as const;
