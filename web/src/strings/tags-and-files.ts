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
