// The navigation: the entries of all areas that the session may see, in groups.
import { ScrollArea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { navigationGroups } from "../strings/shell.ts";
import { useNavigationEntries, type NavigationGroup } from "./area.ts";
import classes from "./shell.module.css";

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
