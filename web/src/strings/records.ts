// What the pages of one record have in common: their bar, their tabs, the pages of a PDF, and a timeline.

export const record = {
  more: "More",
  moreFor: (title: string) => `More actions: ${title}`,
  sections: "Sections",
} as const;

export const printed = {
  drawing: "Drawing the pages…",
  tooLong: "This document has too many pages to show here.",
  openPdf: "Open PDF",
} as const;
