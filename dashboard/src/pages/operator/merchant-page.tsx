// One merchant as an operator manages it: state, balance, sandbox clock.
// What belongs here: the arrangement. Each part is a file beside this one.
import { Anchor, Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { addressOfMerchant } from "../../app/place.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { merchants } from "../../strings/operator.ts";
import { merchantKey, type MerchantAnswer } from "./merchant.ts";
import { MerchantClock } from "./merchant-clock.tsx";
import { MerchantFunding } from "./merchant-funding.tsx";
import { MerchantState } from "./merchant-state.tsx";

/** A merchant. */
export function Page() {
  const { merchantId = "" } = useParams({ strict: false }) as { merchantId?: string };
  const queries = useQueryClient();
  const queryKey = merchantKey(merchantId);
  const path = `/merchants/${merchantId}`;
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api<MerchantAnswer>("GET", `${path}/operator-view`, { signal }),
  });
  const back = (
    <Anchor component={Link} to="/">
      {merchants.back}
    </Anchor>
  );
  if (!data) {
    return (
      <Outline title={merchants.manage} hint={back}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      </Outline>
    );
  }
  const { merchant } = data;
  const onChanged = (answer: MerchantAnswer): void => {
    queries.setQueryData(queryKey, { merchant: answer.merchant });
    void queries.invalidateQueries({ queryKey: ["/merchants"] });
  };
  const open = (
    <Button component="a" href={addressOfMerchant(merchantId)}>
      {merchants.open}
    </Button>
  );
  return (
    <Outline title={merchant.name} badge={<StatusBadge status={merchant.status} />} hint={back} actions={open}>
      <MerchantState merchant={merchant} path={path} onChanged={onChanged} />
      <MerchantFunding merchant={merchant} path={path} onChanged={onChanged} />
      <MerchantClock merchant={merchant} path={path} onChanged={onChanged} />
    </Outline>
  );
}
