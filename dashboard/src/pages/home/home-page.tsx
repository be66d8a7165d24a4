// A merchant's first page: whose account it is, which day it is there, and where to go.
// What belongs here: the arrangement of what the areas show here.
import { Anchor, SimpleGrid } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMerchant, useSession } from "../../api/session.ts";
import { maySee } from "../../app/access.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { day } from "../../format/time.ts";
import { home } from "../../strings/home.ts";

/** Home. */
export function Page() {
  const session = useSession();
  const merchant = useMerchant();
  const places = useNavigationEntries().filter((entry) => entry.to !== "/" && maySee(session, entry));
  return (
    <Outline title={merchant.name} hint={home.today(day(merchant.today), merchant.time_zone)}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {places.map(({ label, to }) => (
          <Panel key={to}>
            <Anchor component={Link} to={to}>
              {label}
            </Anchor>
          </Panel>
        ))}
      </SimpleGrid>
    </Outline>
  );
}
