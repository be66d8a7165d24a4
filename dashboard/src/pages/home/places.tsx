// Where to go, for whom none of the sums of the first page are.
// What belongs here: links to the areas.
import { Anchor, SimpleGrid } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { maySee } from "../../app/access.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Panel } from "../../components/page.tsx";

/** The places that the session may see. */
export function Places() {
  const session = useSession();
  const places = useNavigationEntries().filter((entry) => entry.to !== "/" && maySee(session, entry));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {places.map(({ label, to }) => (
        <Panel key={to}>
          <Anchor component={Link} to={to}>
            {label}
          </Anchor>
        </Panel>
      ))}
    </SimpleGrid>
  );
}
