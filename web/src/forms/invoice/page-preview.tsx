// The pages of what is in a form, as its PDF will have them: drawn by the server before anything is saved.
import { Group, List, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError, fileOf } from "../../api/client.ts";
import { Action } from "../../components/actions.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Panel, ROOM_BESIDE } from "../../components/page.tsx";
import { dataUrl, PagesPicture } from "../../components/printed-pages.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { Dialog } from "../dialogs.tsx";
import { type ApiForm, namingFields } from "../form.tsx";

const TYPING_MS = 700;
const KEPT = "nodal.page-preview";

type Path = `/session/${"invoices" | "subscriptions" | "estimates"}/preview/pages`;

type Props = {
  readonly of: Pick<ApiForm<never>, "isRight">;
  readonly path: Path;
  /** The body that saving would send. */
  readonly body: object;
};

/**
 * The panel of the pages beside a form, which can be hidden for good; where there is no room, a button that opens them over the form.
 * Nothing is asked for while they are hidden, or while a field of the form is wrong.
 */
export function PagePreview({ of, path, body }: Props) {
  const hasRoom = useMediaQuery(ROOM_BESIDE, false, { getInitialValueInEffect: false });
  const [isHidden, setHidden] = useState(localStorage.getItem(KEPT) === "hidden");
  const [isLarge, setLarge] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const isOpen = isLarge || (hasRoom && !isHidden);
  const text = JSON.stringify(body);
  const [settled, setSettled] = useState<string | null>(null);
  const settle = useEffectEvent(() => setSettled(of.isRight(place.current!.closest("form")!) ? text : null));
  useEffect(() => {
    const timer = setTimeout(() => settle(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const pages = usePages(path, isOpen ? settled : null);
  const hide = (hidden: boolean): void => {
    localStorage.setItem(KEPT, hidden ? "hidden" : "shown");
    setHidden(hidden);
  };
  const shown = <Pages of={pages} isComplete={settled !== null} />;
  return (
    <div ref={place}>
      {hasRoom ? (
        <Panel
          title={words.preview}
          actions={
            <Group gap="xs">
              {!isHidden && <Action label={words.enlargePreview} size="xs" onClick={() => setLarge(true)} />}
              <Action
                label={isHidden ? words.showPreview : words.hidePreview}
                size="xs"
                onClick={() => hide(!isHidden)}
                aria-expanded={!isHidden}
              />
            </Group>
          }
        >
          {!isHidden && shown}
        </Panel>
      ) : (
        <Action label={words.preview} onClick={() => setLarge(true)} fullWidth />
      )}
      {isLarge && (
        <Dialog title={words.preview} size="56rem" fullScreen={!hasRoom} onClose={() => setLarge(false)}>
          {shown}
        </Dialog>
      )}
    </div>
  );
}

/** The pages of the newest body. One is drawn at a time: a newer body waits until the answer to the one before is there. */
function usePages(path: Path, newest: string | null) {
  const [asked, setAsked] = useState<string | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["pages", path, asked],
    queryFn: () => fileOf(path, JSON.parse(asked!) as object).then(dataUrl, namingFields),
    placeholderData: keepPreviousData,
    enabled: asked !== null,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Infinity,
    // A key holds the whole form, and an answer all pages.
    gcTime: 0,
  });
  if (!isFetching && newest !== null && newest !== asked) setAsked(newest);
  return { url: data, error, isFetching, retry: () => void refetch() };
}

type PagesProps = {
  readonly of: ReturnType<typeof usePages>;
  /** Whether all fields are right; else the pages are of an earlier state of the form. */
  readonly isComplete: boolean;
};

function Pages({ of: { url, error, isFetching, retry }, isComplete }: PagesProps) {
  const hint = !isComplete ? words.noPreview : url === undefined && !error ? words.drawingPreview : null;
  return (
    <Stack gap="sm" aria-busy={isFetching}>
      <Text c="dimmed" size="sm" role="status" hidden={hint === null}>
        {hint}
      </Text>
      {error && <Refusal error={error} onRetry={retry} />}
      {url !== undefined && !error && <PagesPicture url={url} title={words.previewTitle} isStale={!isComplete} />}
    </Stack>
  );
}

/** The errors that saving would give, or why nothing could be drawn. */
function Refusal({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  if (fields.length === 0) return <ErrorNotice error={error} onRetry={onRetry} />;
  return (
    <Notice title={words.previewRefused}>
      <List size="sm">
        {fields.map(([path, sentence]) => (
          <List.Item key={path}>
            <b>{labelOf(path)}</b> {sentence}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}

/** What the form calls a field; nothing where it does not show it. */
function labelOf(path: string): string {
  const label = document.querySelector<HTMLInputElement>(`[data-path="${CSS.escape(path)}"]`)?.labels?.[0]?.textContent;
  return label ? `${label.replace(/\s*\*$/, "")}:` : "";
}
