// The logo of a template: chosen here, and sent with the rest of the form.
// What belongs here: reading the file. What is in it is for the server to say.
import { Button, FileButton, Group, Input, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { UploadIcon } from "../../components/icons.tsx";
import { templates as words } from "../../strings/templates.ts";
import type { TemplateValues } from "./template-values.ts";

const ACCEPT = "image/png,image/jpeg,image/svg+xml";
const MAX_BYTES = 200 * 1024;

/** Choosing another logo, or none. */
export function LogoField({ form }: { readonly form: UseFormReturnType<TemplateValues> }) {
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
        {logo !== "none" && (
          <Button variant="default" onClick={() => form.setFieldValue("logo", "none")}>
            {words.removeLogo}
          </Button>
        )}
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
