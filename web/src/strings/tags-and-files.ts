// What the pages of payouts say of tags and attached files.

export const tags = {
  title: "Tags",
  one: "Tag",
  any: "All",
  hint: "Up to 10, such as “Rent” or “Project 7”. Press Enter after each.",
  invalid: (tag: string) => `“${tag}” can't be a tag: use up to 32 letters, digits, spaces, - _ . and /.`,
  add: "Add tags",
  change: "Change tags",
  save: "Save tags",
  saved: "Tags saved.",
} as const;

export const attachments = {
  title: "Attachments",
  hint: "PDF, JPEG or PNG, up to 5 MB each",
  add: "Attach a bill",
  none: "No attachments",
  facts: (size: string, who: string, when: string) => `${size} · ${who} · ${when}`,
  remove: "Remove",
  removeNamed: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: "The file is deleted. The audit log keeps its name.",
  removed: "Attachment removed.",
  tooLarge: (name: string) => `${name} is larger than 5 MB. Attach a smaller file.`,
  tooMany: "A payout can have up to 5 attachments.",
  notAttached: (name: string, why: string) => `The transfer was made, but ${name} couldn't be attached. ${why}`,
} as const;
