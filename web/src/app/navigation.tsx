// The navigation: the entries of all areas that the session may see, in groups.
import { Badge, ScrollArea, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useGet } from "../api/queries.ts";
import { usePermissions } from "../api/session.ts";
import { approvals } from "../strings/approvals.ts";
import { navigationGroups } from "../strings/shell.ts";
import { useNavigationEntries, type NavigationGroup } from "./area.ts";
import classes from "./shell.module.css";

/** How often to ask what waits: others ask for approvals while the page stands open. */
const COUNT_MS = 60_000;

const GROUPS: readonly NavigationGroup[] = ["top", "payouts", "billing", "settings"];

/** Where one can go. */
export function Navigation() {
  const entries = useNavigationEntries();
  return (
    <ScrollArea type="never">
      {GROUPS.map((group) => {
        const own = entries.filter((entry) => entry.group === group);
        if (own.length === 0) return null;
        return (
          <div key={group}>
            {group !== "top" && (
              <p className={classes["group"]} id={`navigation-${group}`}>
                {navigationGroups[group]}
              </p>
            )}
            <ul
              className={classes["entries"]}
              {...(group === "top" ? {} : { "aria-labelledby": `navigation-${group}` })}
            >
              {own.map(({ label, to }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className={classes["entry"]}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                  >
                    {label}
                    {to === "/approvals" && <WaitingForMe />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </ScrollArea>
  );
}

/** How much waits for the decision of whoever is signed in. */
function WaitingForMe() {
  const may = usePermissions();
  const enabled = may("approvals.decide");
  const { data } = useGet("/approvals/waiting", { enabled, refetchInterval: COUNT_MS });
  if (!data?.count) return null;
  return (
    <Badge className={classes["count"]} variant="light" color="gray" size="sm" component="span">
      {approvals.waitingForMe(data.count)}
      <VisuallyHidden> {approvals.waitingForMeHint}</VisuallyHidden>
    </Badge>
  );
}
