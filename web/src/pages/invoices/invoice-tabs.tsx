// The tabs above invoices and their drafts.
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { ViewTabs, type ViewTab } from "../../components/view-tabs.tsx";
import { invoices } from "../../strings/invoices.ts";

const WORDS = invoices.tabs;
/** The statuses that the list is filtered by. */
const STATUSES = { all: "", unpaid: "Open", overdue: "Overdue", paid: "Paid" } as const;

/** @param current the status that the list is filtered by, or `drafts` */
export function InvoiceTabs({ current }: { readonly current: string }) {
  const { data } = useGet("/session/invoices/counts");
  const may = usePermissions();
  const tabOf = (name: keyof typeof STATUSES): ViewTab => ({
    label: WORDS[name],
    to: "/invoices",
    search: STATUSES[name] === "" ? {} : { status: STATUSES[name] },
    isCurrent: current === STATUSES[name],
    count: data?.[name],
  });
  const drafts = { label: WORDS.drafts, to: "/invoices/drafts", isCurrent: current === "drafts", count: data?.drafts };
  const mayDraft = may("invoices.manage") && data?.drafts !== null;
  const [all, ...others] = [tabOf("all"), tabOf("unpaid"), tabOf("overdue"), tabOf("paid")] as const;
  return <ViewTabs label={WORDS.label} tabs={mayDraft ? [all, drafts, ...others] : [all, ...others]} />;
}
