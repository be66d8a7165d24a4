// All merchants of the installation; each leads to its own dashboard.
import { Anchor, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { addressOfMerchant } from "../../app/place.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ModeBadge } from "../../components/values.tsx";
import { FormDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { StateField } from "../../forms/gstin-and-state.tsx";
import { useList } from "../../lists/use-list.ts";
import { operator } from "../../strings/home.ts";
import { kyc, merchants } from "../../strings/operator.ts";
import { KYC_CHOICES, KycBadge } from "./kyc-panel.tsx";

type Merchant = Answer<"GET", "/merchants">["merchants"][number];

const COLUMNS: readonly Column<Merchant>[] = [
  {
    key: "name",
    title: operator.name,
    // Another account's dashboard: the browser loads it anew.
    render: ({ merchant_id, name }) => <Anchor href={addressOfMerchant(merchant_id)}>{name}</Anchor>,
  },
  { key: "merchant_id", title: operator.id, hideBelow: "md" },
  { key: "email", title: operator.email, hideBelow: "sm" },
  {
    key: "live",
    title: operator.mode,
    hideBelow: "sm",
    render: ({ live }) => <ModeBadge live={live} />,
  },
  {
    key: "kyc_status",
    title: kyc.title,
    hideBelow: "md",
    render: ({ kyc_status: status }) => <KycBadge status={status} />,
  },
  { key: "status", title: operator.status, isBelowFirst: true, as: "status" },
  { key: "created_at", title: operator.created, hideBelow: "md", as: "day" },
  {
    key: "manage",
    title: merchants.manage,
    align: "right",
    isButtons: true,
    render: ({ merchant_id, name }) => (
      <Action
        label={merchants.manage}
        to={`/merchants/${merchant_id}`}
        size="compact-sm"
        aria-label={merchants.manageOf(name)}
      />
    ),
  },
];

/** Merchants. */
export function Page() {
  const list = useList({ path: "/merchants", rowsIn: "merchants", filters: ["search", "kyc"] });
  const may = usePermissions();
  const [isCreating, setCreating] = useState(false);
  const add = may("merchants.create") && <Action label={merchants.add} primary onClick={() => setCreating(true)} />;
  return (
    <>
      <DataPage
        title={operator.merchants}
        actions={add}
        list={list}
        columns={COLUMNS}
        rowKey="merchant_id"
        search={{ filter: "search", placeholder: operator.search }}
        filterFields={
          <NativeSelect {...list.filter("kyc", kyc.title)} data={[{ value: "", label: kyc.any }, ...KYC_CHOICES]} />
        }
        empty={{ title: operator.empty, hint: operator.emptyHint }}
      />
      {isCreating && <CreateMerchant onClose={() => setCreating(false)} />}
    </>
  );
}

/** Asks for what a merchant needs to begin; its first key and its first user's password are shown once. */
function CreateMerchant({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<Answer<"POST", "/merchants"> | null>(null);
  if (created) {
    return (
      <SecretDialog
        title={merchants.created}
        hint={merchants.keep}
        secrets={[
          { label: merchants.accessKey, value: created.access_key_id },
          { label: merchants.secret, value: created.secret_access_key },
          { label: merchants.signIn, value: created.user_email },
          { label: merchants.password, value: created.password },
          { label: merchants.signInUrl, value: created.sign_in_url },
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={merchants.addTitle}
      label={merchants.add}
      initialValues={{ name: "", email: "", state: "", user_email: "" }}
      submit={(body) => api("POST", "/merchants", { body })}
      changes={["/merchants"]}
      onDone={setCreated}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextInput {...field("name", merchants.name)} required data-autofocus />
          <TextInput {...field("email", merchants.email)} type="email" required />
          <StateField {...field("state", merchants.state, merchants.stateHint)} />
          <TextInput {...field("user_email", merchants.userEmail, merchants.userEmailHint)} type="email" />
        </>
      )}
    </FormDialog>
  );
}
