// What the API reference says around the document.

export const reference = {
  title: "API reference",
  hint: "Every request that programs can make, from this server's own OpenAPI document.",
  document: "Download the document",
  search: "Search by path or what it does",
  endpoints: (count: number) => (count === 1 ? "1 request" : `${count} requests`),
  none: "No request matches",
  noneHint: "Search for a part of a path, or for a word such as invoice.",
  fields: "Fields",
  field: "Field",
  kind: "Kind",
  required: "Required",
  yes: "Yes",
  no: "No",
  meaning: "What it takes",
  curl: "On the command line",
  answers: "Answers",
  status: "Status",
  description: "Meaning",
} as const;
