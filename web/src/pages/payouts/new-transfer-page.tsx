// A new transfer: payee, amount and reference; confirmed with the amount in words before it is sent.
// The reference is made once for the form, so that no second press or retry pays twice.
import { Group, Input, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel, SideBySide } from "../../components/page.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { ConfirmMoney } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { backTo, fieldsOf, Form, MoneyField } from "../../forms/form.tsx";
import { beforeMoney } from "../../strings/before-money.ts";
import { newTransfer, transfers } from "../../strings/payouts.ts";
import { attachments, tags } from "../../strings/tags-and-files.ts";
import { attachAll, ChooseFiles } from "./attachments.tsx";
import { accountOf, type Beneficiary } from "./beneficiary.ts";
import { ChooseBeneficiary } from "./choose-beneficiary.tsx";
import { Tags, TagsField, tagsError } from "./tags.tsx";
import { ApprovalNotice, labelOf, factsOf, usePreview, type Terms } from "./preview.tsx";
import { newReference, wireAmount } from "./transfer-list.tsx";
import { TransferSummary } from "./transfer-summary.tsx";

export type Values = {
  beneficiary_id: string;
  amount: string;
  mode: string;
  narrative: string;
  reference_id: string;
  scheduled_for: string;
  tags: string[];
};

/** New transfer. */
export function Page() {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const { today } = useMerchant();
  const [reference] = useState(() => newReference(today));
  const form = useForm<Values>({
    initialValues: {
      beneficiary_id: search["beneficiary"] ?? "",
      amount: search["amount"] ?? "",
      mode: search["mode"] ?? "",
      narrative: search["narrative"] ?? "",
      reference_id: reference,
      scheduled_for: "",
      tags: [],
    },
    validate: {
      beneficiary_id: (id) => (id === "" ? newTransfer.choose : null),
      scheduled_for: (chosenDay) => (chosenDay !== "" && chosenDay <= today ? newTransfer.dayInvalid : null),
      amount: (typed) => (wireAmount(typed) === null ? newTransfer.amountInvalid : null),
      tags: tagsError,
    },
  });
  const { chosen, error, choose } = useChosen(form);
  const [files, setFiles] = useState<File[]>([]);
  const preview = usePreview(() => api("GET", "/transfers/preview", { query: previewOf(form.getValues()) }));
  const terms = useTerms(form.values);
  return (
    <Outline title={newTransfer.title} hint={newTransfer.hint}>
      <SideBySide width="22rem" aside={<TransferSummary values={form.values} payee={chosen} terms={terms} />}>
        <Panel title={newTransfer.to}>
          {error && <ErrorNotice error={error} />}
          <ChooseBeneficiary
            chosen={chosen}
            error={typeof form.errors["beneficiary_id"] === "string" ? form.errors["beneficiary_id"] : null}
            onChoose={choose}
          />
        </Panel>
        <Panel title={newTransfer.payment}>
          <Form
            of={{
              ...preview,
              onSubmit: form.onSubmit(preview.review),
              isChanged: () => form.isDirty(),
            }}
            label={newTransfer.review}
            failed={newTransfer.failed}
            aside={<Balance />}
          >
            <Fields form={form} chosen={chosen} terms={terms} />
            <Input.Wrapper label={attachments.title} labelElement="div">
              <ChooseFiles files={files} onChange={setFiles} />
            </Input.Wrapper>
          </Form>
        </Panel>
      </SideBySide>
      {preview.terms && (
        <Confirm form={form} chosen={chosen} terms={preview.terms} files={files} onClose={preview.close} />
      )}
    </Outline>
  );
}

const previewOf = ({ beneficiary_id, mode, amount }: Values) => ({
  beneficiary_id,
  mode,
  amount: wireAmount(amount) ?? "",
});

const TYPING_MS = 300;

/** How the bank would be paid, once payee and amount are known; `null` before, and while the server refuses it. */
function useTerms(values: Values): Terms | null {
  const [query] = useDebouncedValue(previewOf(values), TYPING_MS);
  const isComplete = query.beneficiary_id !== "" && query.amount !== "" && wireAmount(values.amount) !== null;
  const { data } = useGet("/transfers/preview", { query, enabled: isComplete, placeholderData: keepPreviousData });
  const isAllowed = isComplete && values.beneficiary_id !== "" && data !== undefined && data.refusal === null;
  return isAllowed ? data.terms : null;
}

/** The available balance, for users who may see it. */
function Balance() {
  const may = usePermissions();
  const { data } = useGet("/session/home/balances", { enabled: may("payouts.view") });
  return (
    data && (
      <Text size="sm" c="dimmed">
        {newTransfer.available(rupees(data.available))}
      </Text>
    )
  );
}

/** The beneficiary that the form names: from the address, or chosen here. */
function useChosen(form: UseFormReturnType<Values>) {
  const id = form.values.beneficiary_id;
  const { data, error } = useGet(`/beneficiaries/${id}`, { enabled: id !== "" });
  const isChosenHere = useRef(false);
  const isThere = id !== "" && data !== undefined;
  // The amount is asked for next.
  useEffect(() => {
    if (isThere && isChosenHere.current) form.getInputNode("amount")?.focus();
  }, [isThere, form]);
  const choose = (beneficiaryId: string | null): void => {
    // The way to pay is one of the payee's.
    form.setValues({ beneficiary_id: beneficiaryId ?? "", mode: "" });
    form.clearFieldError("beneficiary_id");
    isChosenHere.current = true;
  };
  return { chosen: id === "" ? null : (data ?? null), error: id === "" ? null : error, choose };
}

type Chosen = { readonly form: UseFormReturnType<Values>; readonly chosen: Beneficiary | null };

function Fields({ form, chosen, terms }: Chosen & { readonly terms: Terms | null }) {
  const field = fieldsOf(form);
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MoneyField {...field("amount", newTransfer.amount)} required />
        <TextInput
          {...field("narrative", newTransfer.narrative, newTransfer.narrativeHint)}
          // As the amount's, beside it.
          inputWrapperOrder={["label", "input", "description", "error"]}
          maxLength={100}
        />
      </SimpleGrid>
      <Rail form={form} chosen={chosen} terms={terms} />
      <TagsField {...field("tags", tags.title, tags.hint)} />
      <MoreFields form={form} />
    </>
  );
}

/** How the money goes, and when it arrives. Another way is behind one button, for a payee who has both. */
function Rail({ form, chosen, terms }: Chosen & { readonly terms: Terms | null }) {
  const [isOpen, { toggle }] = useDisclosure(form.values.mode !== "");
  const hasBoth = chosen !== null && chosen.account_number !== "" && chosen.upi !== "";
  const isRefused = form.errors["mode"] !== undefined;
  return (
    <div>
      <Group justify="space-between" gap="sm" mih="2.25rem">
        <Text size="sm" aria-live="polite">
          {terms ? `${terms.mode}: ${newTransfer.arrivals[terms.mode] ?? ""}` : newTransfer.railLater}
        </Text>
        {hasBoth && <Action label={newTransfer.otherRail} size="xs" onClick={toggle} aria-expanded={isOpen} />}
      </Group>
      {((hasBoth && isOpen) || isRefused) && (
        <NativeSelect
          {...fieldsOf(form)("mode", beforeMoney.mode)}
          data={[
            { value: "", label: newTransfer.modeAuto },
            ...Object.entries(transfers.modes).map(([value, label]) => ({ value, label })),
          ]}
        />
      )}
    </div>
  );
}

/** Fields that are seldom changed: the day and the reference. */
function MoreFields({ form }: Pick<Chosen, "form">) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const field = fieldsOf(form);
  const isWrong = form.errors["scheduled_for"] !== undefined || form.errors["reference_id"] !== undefined;
  return (
    <>
      <div>
        <Action
          label={newTransfer.more}
          variant="subtle"
          size="xs"
          onClick={toggle}
          aria-expanded={isOpen || isWrong}
        />
      </div>
      {(isOpen || isWrong) && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <DateField {...field("scheduled_for", newTransfer.day, newTransfer.dayHint)} />
          <TextInput
            {...field("reference_id", newTransfer.reference, newTransfer.referenceHint)}
            required
            maxLength={64}
          />
        </SimpleGrid>
      )}
    </>
  );
}

type ConfirmProps = Chosen & {
  readonly terms: Terms;
  readonly files: readonly File[];
  readonly onClose: () => void;
};

function Confirm({ form, chosen, terms, files, onClose }: ConfirmProps) {
  const navigate = useNavigate();
  const amount = wireAmount(form.values.amount) ?? "0.00";
  const { beneficiary_id, mode, narrative, reference_id, scheduled_for } = form.values;
  const tagged = form.values.tags;
  return (
    <ConfirmMoney
      title={newTransfer.confirmTitle}
      label={scheduled_for === "" ? labelOf(terms, newTransfer.confirm) : beforeMoney.schedule}
      amount={amount}
      facts={[
        { label: transfers.payee, value: chosen?.name },
        { label: transfers.account, value: chosen && accountOf(chosen) },
        { label: transfers.reference, value: reference_id },
        ...factsOf(terms),
        ...(tagged.length === 0 ? [] : [{ label: tags.title, value: <Tags tags={tagged} /> }]),
        ...(files.length === 0 ? [] : [{ label: attachments.title, value: files.map(({ name }) => name).join(", ") }]),
        ...(scheduled_for === "" ? [] : [{ label: newTransfer.day, value: day(scheduled_for) }]),
      ]}
      hint={scheduled_for === "" ? <ApprovalNotice terms={terms} /> : beforeMoney.later}
      submit={() =>
        api("POST", "/transfers", {
          body: { beneficiary_id, amount, reference_id, mode, narrative, scheduled_for, tags: tagged },
        }).then(
          async (made) => {
            await attachAll(made.transfer_id, files);
            return made;
          },
          backTo(form, onClose),
        )
      }
      changes={EVERYTHING}
      onDone={({ transfer_id, status }) => {
        form.resetDirty();
        return navigate({
          to: status === "SCHEDULED" ? "/bulk-payouts/scheduled" : `/transfers/${transfer_id}`,
          replace: true,
        });
      }}
      onClose={onClose}
    />
  );
}
