// Templates as the server describes them.
// What belongs here: types of answers, and the question that two pages ask.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";

export type Template = {
  readonly template_id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly next_number: string;
  readonly next_credit_number: string;
  readonly rows: number;
  readonly terms: string;
  readonly signatory: string;
  readonly colour: string;
  readonly upi: string;
  readonly has_logo: boolean;
};

/** What is printed beside an invoice's own content. */
export type Looks = Pick<Template, "name" | "terms" | "signatory" | "colour" | "upi">;

/** One template, and a sample of what it makes. */
export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ["/templates", "one", templateId],
    queryFn: ({ signal }) => api<{ template: Template; html: string }>("GET", `/templates/${templateId}`, { signal }),
  });
