// Says that the browser is offline, or that the server has not answered the latest requests.
import { Alert } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { AlertIcon } from "../components/icons.tsx";
import { shell } from "../strings/shell.ts";

/** A notice above the page; nothing while all is well. */
export function ConnectionNotice() {
  const { online } = useNetwork();
  const isReachable = useReachable();
  if (online && isReachable) return null;
  return (
    <Alert role="status" mb="md" color="yellow" variant="outline" icon={<AlertIcon />}>
      {online ? shell.unreachable : shell.offline}
    </Alert>
  );
}

/** Whether the latest request that ended was answered, by anything but "come back later". */
function useReachable(): boolean {
  const cache = useQueryClient().getQueryCache();
  const [isReachable, setReachable] = useState(true);
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if (action.type === "success") setReachable(true);
        if (action.type === "failed" && action.error instanceof ApiError) setReachable(!isOutage(action.error));
      }),
    [cache],
  );
  return isReachable;
}

function isOutage({ status }: ApiError): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
