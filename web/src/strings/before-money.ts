// Texts before money moves: balances before and after, the rail, and required approvals.

export const beforeMoney = {
  mode: "Mode",
  available: "Available now",
  left: "Balance after",
  leftToday: "Daily limit left",
  needsApproval: (over: string) => `Needs approval: over ${over}. We’ll hold the amount until someone approves.`,
  sendForApproval: "Send for approval",
  schedule: "Schedule transfer",
  later: "Your balance is checked on the payment date. Nothing is reserved until then.",
} as const;
