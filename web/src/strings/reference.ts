// What the API reference says around the document.

export const reference = {
  hint: "Every endpoint of the API, from this server's OpenAPI document.",
  document: "Download OpenAPI document",
  search: "Search by path or description",
  endpoints: (count: number) => (count === 1 ? "1 endpoint" : `${count} endpoints`),
  none: "No endpoint found",
  noneHint: "Search for part of a path, or a word such as invoice.",
  fields: "Fields",
  field: "Field",
  kind: "Type",
  required: "Required",
  yes: "Yes",
  no: "No",
  meaning: "Description",
  curl: "With curl",
  answers: "Responses",
  status: "Status",
  description: "Description",
} as const;
