// A merchant's first page: how much there is, what happened today, what waits for somebody, and how it has gone.
// What belongs here: the arrangement of the parts, each of which is for who may see what it shows.
import { Button, SimpleGrid, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { Page as Outline } from "../../components/page.tsx";
import { day } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { Balances } from "./balances.tsx";
import { BillingSums } from "./billing.tsx";
import { PayoutChart } from "./payout-chart.tsx";
import { Places } from "./places.tsx";
import { Waiting } from "./waiting.tsx";

/** Home. */
export function Page() {
  const merchant = useMerchant();
  const { kind } = useSession();
  const may = usePermissions();
  // A franchise sees its own part of the merchant, and none of these sums.
  const seesPayouts = kind !== "franchise" && may("payouts.view");
  const seesBilling = kind !== "franchise" && may("invoices.view");
  return (
    <Outline
      title={merchant.name}
      hint={home.today(day(merchant.today), merchant.time_zone)}
      actions={
        may("payouts.transfer") && (
          <Button component={Link} to="/transfers/new">
            {home.pay}
          </Button>
        )
      }
    >
      <Stack gap="lg">
        {seesPayouts && <Balances />}
        {seesPayouts && (
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <PayoutChart />
            <Waiting />
          </SimpleGrid>
        )}
        {seesBilling && <BillingSums />}
        {!seesPayouts && !seesBilling && <Places />}
      </Stack>
    </Outline>
  );
}
