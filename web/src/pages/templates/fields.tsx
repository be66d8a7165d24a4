// The fields of a template's form: how it is numbered, how its invoices look, and the company that they show.
import {
  Button,
  Checkbox,
  FileButton,
  Group,
  Input,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { UploadIcon } from "../../components/icons.tsx";
import { checksOf, fieldsOf } from "../../forms/form.tsx";
import { RecordField } from "../../forms/record-field.tsx";
import { profile as profileWords } from "../../strings/profile.ts";
import { templates as words } from "../../strings/templates.ts";
import { type Company, COMPANY_FIELDS, type TemplateValues } from "./template-values.ts";

type Props = {
  readonly form: UseFormReturnType<TemplateValues>;
  /** The merchant's day. */
  readonly today: string;
  /** What the credit notes of the default template are numbered next; `null` where there is no template yet. */
  readonly sharedCredit: string | null;
  /** The same of its debit notes. */
  readonly sharedDebit: string | null;
};

/** Prefixes, digits, and whether they begin anew each year. */
export function NumberFields({ form, today, sharedCredit, sharedDebit }: Props) {
  const field = fieldsOf(form);
  const check = checksOf(form);
  const { prefix, credit_prefix: creditPrefix, debit_prefix: debitPrefix, width } = form.values;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput {...field("prefix", words.prefix, words.prefixHint)} required autoComplete="off" />
        <TextInput
          {...field(
            "credit_prefix",
            words.creditPrefix,
            sharedCredit === null ? words.creditOwn : words.prefixShared(sharedCredit),
          )}
          autoComplete="off"
        />
        <TextInput
          {...field(
            "debit_prefix",
            words.debitPrefix,
            sharedDebit === null ? words.debitOwn : words.prefixShared(sharedDebit),
          )}
          autoComplete="off"
        />
        <TextInput {...field("width", words.width)} inputMode="numeric" />
      </SimpleGrid>
      <Checkbox {...check("yearly", words.yearly)} />
      <div role="status">
        {prefix.trim() !== "" && <Text>{words.firstNumber(firstNumber(prefix, width, today))}</Text>}
        {creditPrefix.trim() !== "" && <Text>{words.firstCredit(firstNumber(creditPrefix, width, today))}</Text>}
        {debitPrefix.trim() !== "" && <Text>{words.firstDebit(firstNumber(debitPrefix, width, today))}</Text>}
      </div>
      <Text c="dimmed">{words.stays}</Text>
    </Stack>
  );
}

/** The prefix as the server will write it; the server refuses invalid ones. */
function firstNumber(prefix: string, width: string, today: string): string {
  const year = Number(today.slice(2, 4)) - (today.slice(5, 7) < "04" ? 1 : 0);
  const years = `${String(year).padStart(2, "0")}${String((year + 1) % 100).padStart(2, "0")}`;
  return `${prefix.trim().replaceAll("{FY}", years)}${"1".padStart(Math.min(Number(width) || 1, 12), "0")}`;
}

type LooksFieldsProps = {
  readonly form: UseFormReturnType<TemplateValues>;
  /** Whether the company has a bank account that could be printed. */
  readonly hasBankAccount: boolean;
};

/** Signatory, colour, UPI handle, bank account, terms and logo. */
export function LooksFields({ form, hasBankAccount }: LooksFieldsProps) {
  const field = fieldsOf(form);
  const check = checksOf(form);
  const maySeeAccounts = usePermissions()("personal_data.reveal");
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput {...field("signatory", words.signatory)} maxLength={100} />
        <TextInput {...field("colour", words.colour)} type="color" />
        <TextInput {...field("upi", words.upi)} autoComplete="off" />
      </SimpleGrid>
      <Checkbox
        {...check("print_bank_account", words.printBankAccount)}
        description={
          maySeeAccounts ? (hasBankAccount ? words.bankAccountHint : words.bankAccountMissing) : words.bankAccountDenied
        }
        disabled={!maySeeAccounts}
      />
      <Textarea {...field("terms", words.terms)} autosize minRows={3} maxLength={2000} />
      <LogoField form={form} />
    </Stack>
  );
}

const ACCEPT = "image/png,image/jpeg,image/svg+xml";
const MAX_BYTES = 200 * 1024;

/** Choosing another logo, or none. */
function LogoField({ form }: { readonly form: UseFormReturnType<TemplateValues> }) {
  const { logo } = form.values;
  const choose = async (file: File | null): Promise<void> => {
    if (!file) return;
    if (file.size > MAX_BYTES) form.setFieldError("logo", words.logoTooLarge);
    else form.setFieldValue("logo", { name: file.name, base64: await readBase64(file) });
  };
  const error = form.errors["logo"];
  const hasFailed = typeof error === "string";
  return (
    <Stack gap="xs" role="group" aria-label={words.logo}>
      <Input.Label labelElement="div">{words.logo}</Input.Label>
      <Group gap="sm">
        <FileButton accept={ACCEPT} onChange={(file) => void choose(file)}>
          {(button) => (
            <Button variant="default" leftSection={<UploadIcon size={16} />} {...button}>
              {words.logoLabel}
            </Button>
          )}
        </FileButton>
        {logo !== "none" && <Action label={words.removeLogo} onClick={() => form.setFieldValue("logo", "none")} />}
      </Group>
      <Text size="sm" c="dimmed">
        {typeof logo === "string" || hasFailed ? words.logoHint : words.logoChosen(logo.name)}
      </Text>
      {hasFailed && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}

/** The bytes of a file in base64: what stands behind the comma of its address. */
function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const address = typeof reader.result === "string" ? reader.result : "";
      resolve(address.slice(address.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(new Error(`${file.name} can't be read`)));
    reader.readAsDataURL(file);
  });
}

type CompanyFieldsProps = {
  readonly form: UseFormReturnType<TemplateValues>;
  readonly profile: Company;
  /** Shown below the PAN if the template has one that the user may not see. */
  readonly panHint: string | null;
};

/** One field for each detail; the profile's stands in those that are empty. */
export function CompanyFields({ form, profile, panHint }: CompanyFieldsProps) {
  const field = fieldsOf(form);
  return (
    <Stack gap="sm">
      <Text c="dimmed">{words.companyHint}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {COMPANY_FIELDS.map((member) => {
          const { name } = member;
          return (
            <RecordField
              key={name}
              member={member}
              field={field(`company.${name}`, profileWords.fields[name], name === "pan" ? panHint : undefined)}
              state={form.values.company.state || profile.state}
              none={profile.state}
              placeholder={profile[name]}
            />
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}
