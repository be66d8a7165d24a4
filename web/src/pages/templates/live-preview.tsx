// What an invoice from the template in the form looks like, made by the server a moment after somebody typed.
import { Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { FramedPage } from "../../components/framed-page.tsx";
import { ErrorNotice, UnprintableNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { namingFields } from "../../forms/form.tsx";
import { templates as words } from "../../strings/templates.ts";

const TYPING_MS = 400;

type Props = {
  readonly body: object;
  /** Shown until the first answer is there; `null` where there is nothing to show yet. */
  readonly first: string | null;
  /** Told of the fields that can't be previewed as they are, by their names in the form. */
  readonly onRefused: (fields: Readonly<Record<string, string>>) => void;
};

/** The preview of what a request would save. */
export function LivePreview({ body, first, onRefused }: Props) {
  const [asked] = useDebouncedValue(JSON.stringify(body), TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ["/templates/preview", asked],
    queryFn: ({ signal }) =>
      api("POST", "/templates/preview", { body: JSON.parse(asked) as object, signal }).catch(namingFields),
    retry: false,
    // A key holds the whole form, with its logo.
    gcTime: 0,
  });
  const tell = useEffectEvent(onRefused);
  useEffect(() => {
    if (error && isOfForm(error)) tell(error.fields);
  }, [error]);
  // Stays where a later question is refused.
  const [html, setHtml] = useState(first);
  if (data && data.html !== html) setHtml(data.html);
  return (
    <Panel title={words.preview}>
      <Stack gap="sm">
        <div role="status">{error && isOfForm(error) && <Text size="sm">{waitsFor(error)}</Text>}</div>
        {error && !isOfForm(error) && <ErrorNotice error={error} />}
        {data && <UnprintableNotice letters={data.unprintable} />}
        {html !== null && <FramedPage html={html} title={words.previewTitle} />}
      </Stack>
    </Panel>
  );
}

/** Whether something in the form can't be read yet. */
function isOfForm(error: Error): error is ApiError {
  return error instanceof ApiError && error.code === "validation_failed";
}

function waitsFor({ fields }: ApiError): string {
  return `${words.previewWaits} ${Object.values(fields)[0] ?? ""}`;
}
