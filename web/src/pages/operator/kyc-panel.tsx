// A merchant's KYC, as an operator sees and changes it.
import { NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { kyc as words } from "../../strings/operator.ts";

type Kyc = Answer<"GET", "/kyc">;
type Props = { readonly kyc: Kyc; readonly path: `/merchants/${string}` };

export const KYC_CHOICES = Object.entries(words.states).map(([value, { word }]) => ({ value, label: word }));

/** The state of KYC in words. */
export function KycBadge({ status }: Pick<Kyc, "status">) {
  return <StatusBadge status={status} {...words.states[status]} />;
}

/** State, reasons and documents. */
export function KycPanel({ kyc, path }: Props) {
  const may = usePermissions();
  const [isChanging, setChanging] = useState(false);
  const button = may("merchants.kyc") && <Action label={words.change} onClick={() => setChanging(true)} />;
  return (
    <Panel title={words.title} actions={button}>
      <Facts
        facts={[
          { label: words.state, value: <KycBadge status={kyc.status} /> },
          ...(kyc.reasons.length > 0 ? [{ label: words.reasons, value: <Lines lines={kyc.reasons} /> }] : []),
          { label: words.documents, value: kyc.documents.length > 0 ? <Lines lines={kyc.documents} /> : null },
        ]}
      />
      {isChanging && <ChangeKyc kyc={kyc} path={path} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Stack gap={2}>
      {lines.map((line) => (
        <Text key={line} style={{ overflowWrap: "anywhere" }}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}

const linesOf = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

function ChangeKyc({ kyc, path, onClose }: Props & { readonly onClose: () => void }) {
  return (
    <FormDialog
      title={words.changeTitle}
      label={words.save}
      intro={<Text>{words.liveStays}</Text>}
      initialValues={{
        status: kyc.status,
        reasons: kyc.reasons.join("\n"),
        documents: kyc.documents.join("\n"),
      }}
      submit={({ status, reasons, documents }) =>
        api("PUT", `${path}/kyc`, {
          body: {
            status,
            reasons: status === "rejected" ? linesOf(reasons) : [],
            documents: linesOf(documents),
          },
        })
      }
      changes={["/merchants"]}
      done={words.saved}
      onClose={onClose}
    >
      {({ field, form }) => (
        <>
          <NativeSelect {...field("status", words.state)} data={KYC_CHOICES} data-autofocus />
          {form.values.status === "rejected" && (
            <Textarea {...field("reasons", words.reasons, words.reasonsHint)} autosize minRows={2} required />
          )}
          <Textarea {...field("documents", words.documents, words.documentsHint)} autosize minRows={2} />
        </>
      )}
    </FormDialog>
  );
}
