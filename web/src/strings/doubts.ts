// What forms ask about before they send.

export const doubts = {
  title: "Is this right?",
  goOn: "Save anyway",
  paidLater: (day: string) => `The payment is dated ${day}, which is in the future.`,
  gstin: (gstin: string) => `The check digit of ${gstin} is wrong: compare it with the GST certificate.`,
  billedFar: (day: string) => `The invoice date ${day} is more than a year away.`,
  creditedLate: (day: string) =>
    `Its tax could be credited until ${day} (CGST Act, section 34): ask your accountant before you report this note.`,
  rate: (place: number, rate: string) => `Item ${place}: ${rate} % is not a known GST rate.`,
  code: (place: number, code: string) =>
    `Item ${place}: an HSN or SAC code has 4, 6 or 8 digits, and ${code} does not.`,
} as const;
