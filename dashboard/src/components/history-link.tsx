// The way from a record to what the audit log has of it, for those who may see the log.
// What belongs here: that link.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePermissions } from "../api/session.ts";
import { searchOf } from "../lists/search-of.ts";
import { audit } from "../strings/audit.ts";

/** Leads to everything that was done to the record with this number. */
export function HistoryLink({ subjectId }: { readonly subjectId: string }) {
  const may = usePermissions();
  if (!may("audit.view")) return null;
  // The number of an invoice has a letter and zeros before it elsewhere.
  const subject = subjectId.replace(/^R0*/, "");
  return (
    <Button component={Link} to="/settings/audit" search={searchOf({ subject })} variant="default">
      {audit.linkTo}
    </Button>
  );
}
