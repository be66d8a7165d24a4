// Files of payouts, such as bills: listed for those who see the payout, added and removed by those who make transfers.
import { Anchor, Button, FileButton, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { api, apiUrl, upload } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged, useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { UploadIcon } from "../../components/icons.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { FileUpload } from "../../forms/file-upload.tsx";
import { actorName } from "../../format/actor.ts";
import { moment } from "../../format/time.ts";
import { attachments as words } from "../../strings/tags-and-files.ts";

const ACCEPT = "application/pdf,image/jpeg,image/png,.pdf,.jpg,.jpeg,.png";
const MOST_FILES = 5;
const MOST_BYTES = 5 * 1024 * 1024;
const NAME_LENGTH = 100;

type Attachment = Answer<"GET", "/transfers/:transfer_id/attachments">["attachments"][number];

const pathOf = (transferId: string) => `/transfers/${transferId}/attachments` as const;

/** The name to send, shortened before its ending. */
function nameOf({ name }: File): string {
  const characters = [...name];
  if (characters.length <= NAME_LENGTH) return name;
  const ending = /\.\w{1,5}$/.exec(name)?.[0] ?? "";
  return characters.slice(0, NAME_LENGTH - ending.length).join("") + ending;
}

function sizeOf(bytes: number): string {
  const kilobytes = Math.max(1, Math.round(bytes / 1024));
  return kilobytes < 1024 ? `${kilobytes} KB` : `${Math.round(kilobytes / 102.4) / 10} MB`;
}

type ListProps = { readonly transferId: string; readonly readOnly?: boolean };

/** The files of a payout, with buttons that add and remove them. */
export function Attachments({ transferId, readOnly = false }: ListProps) {
  const may = usePermissions();
  const { data, error, refetch } = useGet(pathOf(transferId));
  const [removing, setRemoving] = useState<Attachment | null>(null);
  const files = data?.attachments ?? [];
  const mayChange = may("payouts.transfer") && !readOnly;
  return (
    <Stack gap="sm">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && files.length === 0 && <Text c="dimmed">{words.none}</Text>}
      {files.map((file) => (
        <AttachmentRow
          key={file.attachment_id}
          transferId={transferId}
          file={file}
          {...(mayChange ? { onRemove: () => setRemoving(file) } : {})}
        />
      ))}
      {data && mayChange && files.length < MOST_FILES && <AddFile transferId={transferId} />}
      {removing && (
        <ConfirmDialog
          title={words.removeTitle(removing.file_name)}
          text={words.removeText}
          label={words.remove}
          danger
          submit={() => api("DELETE", `/transfers/${transferId}/attachments/${removing.attachment_id}`)}
          changes={[pathOf(transferId)]}
          done={words.removed}
          onClose={() => setRemoving(null)}
        />
      )}
    </Stack>
  );
}

type RowProps = { readonly transferId: string; readonly file: Attachment; readonly onRemove?: () => void };

function AttachmentRow({ transferId, file, onRemove }: RowProps) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <Anchor href={apiUrl(`${pathOf(transferId)}/${file.attachment_id}`)} download={file.file_name}>
          {file.file_name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {words.facts(sizeOf(file.size_bytes), actorName(file.added_by, file.added_by_name), moment(file.added_at))}
        </Text>
      </div>
      {onRemove && (
        <Action
          label={words.remove}
          aria-label={words.removeNamed(file.file_name)}
          size="compact-sm"
          onClick={onRemove}
        />
      )}
    </Group>
  );
}

function AddFile({ transferId }: { readonly transferId: string }) {
  const changed = useChanged();
  return (
    <FileUpload
      path={pathOf(transferId)}
      queryOf={(file) => ({ file_name: nameOf(file) })}
      limit={{ bytes: MOST_BYTES, say: words.tooLarge }}
      accept={ACCEPT}
      label={words.add}
      hint={words.hint}
      onDone={() => void changed(pathOf(transferId))}
    />
  );
}

type ChooseProps = { readonly files: readonly File[]; readonly onChange: (files: File[]) => void };

/** Files for a payout that does not exist yet. They are sent once it does. */
export function ChooseFiles({ files, onChange }: ChooseProps) {
  const forgetChoice = useRef<(() => void) | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const add = (chosen: readonly File[]): void => {
    // The same file can be chosen again after it was removed.
    forgetChoice.current?.();
    const tooLarge = chosen.find(({ size }) => size > MOST_BYTES);
    const all = [...files, ...chosen.filter(({ size }) => size <= MOST_BYTES)];
    setProblem(tooLarge ? words.tooLarge(tooLarge.name) : all.length > MOST_FILES ? words.tooMany : null);
    onChange(all.slice(0, MOST_FILES));
  };
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileButton accept={ACCEPT} multiple resetRef={forgetChoice} onChange={add}>
          {(button) => (
            <Button
              variant="default"
              leftSection={<UploadIcon size={16} />}
              disabled={files.length >= MOST_FILES}
              {...button}
            >
              {words.add}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {words.hint}
        </Text>
      </Group>
      {problem !== null && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      {files.map((file, index) => (
        <Group key={`${index} ${file.name}`} justify="space-between" gap="sm" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {file.name} · {sizeOf(file.size)}
          </Text>
          <Action
            label={words.remove}
            aria-label={words.removeNamed(file.name)}
            size="compact-sm"
            onClick={() => onChange(files.filter((_, other) => other !== index))}
          />
        </Group>
      ))}
    </Stack>
  );
}

/** Sends files of a new payout. What can't be attached is said in a message; the payout exists all the same. */
export async function attachAll(transferId: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    try {
      await upload(pathOf(transferId), file, { query: { file_name: nameOf(file) } });
    } catch (error) {
      const message = words.notAttached(file.name, (error as Error).message);
      notifications.show({ color: "red", message, autoClose: false });
    }
  }
}
