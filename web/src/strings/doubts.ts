// Texts about possible mistakes, which forms show before they send.

export const doubts = {
  title: "Check before you save",
  goOn: "Save anyway",
  paidLater: (day: string) => `The payment date, ${day}, is in the future.`,
  paidBeforeBill: (day: string, billed: string) => `The payment date, ${day}, is before the invoice date, ${billed}.`,
  gstin: (gstin: string) => `The check digit of GSTIN ${gstin} is wrong. Compare it with the GST certificate.`,
  billedFar: (day: string) => `The invoice date ${day} is more than a year away.`,
  dueFar: (day: string, billed: string) => `The due date ${day} is more than a year after the invoice date, ${billed}.`,
  creditedLate: (day: string) =>
    `Tax on this invoice could be credited until ${day} (CGST Act, section 34). Ask your accountant before you report this note.`,
  rate: (place: number, rate: string) => `Item ${place}: ${rate}% isn’t a known GST rate.`,
  code: (place: number, code: string) => `Item ${place}: HSN and SAC codes have 4, 6 or 8 digits; ${code} doesn’t.`,
} as const;
