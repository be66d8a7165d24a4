// What lists have in common: periods, amounts, how far a search has come.

export const lists = {
  period: "Period",
  anyDate: "Any date",
  otherPeriod: "Other dates",
  periods: {
    today: "Today",
    thisMonth: "This month",
    lastMonth: "Last month",
    thisYear: "This financial year",
    lastYear: "Last financial year",
  },
  from: "From",
  to: "To",
  amountFrom: "Amount from",
  amountTo: "Amount to",
  moreFilters: "More filters",
  fewerFilters: "Fewer filters",
  view: "View",
  savedFilters: "Saved filters",
  noneSaved: "Filter the list, then save the filters here under a name.",
  filterName: "Name of these filters",
  saveFilters: "Save",
  removeSaved: (name: string) => `Remove ${name}`,
  columns: "Columns",
  amountInvalid: "Enter an amount above ₹0, such as 1500 or 1,500.50.",
  searchedTo: (moment: string) =>
    `Searched as far as ${moment}. Choose Next to search further, or narrow it down by date.`,
} as const;
