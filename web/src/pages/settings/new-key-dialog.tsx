// Creates an access key, with its scopes, expiry and addresses.
import { Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { DateField } from "../../forms/date-field.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { keys } from "../../strings/access.ts";
import { PermissionFields } from "./permission-fields.tsx";

type Props = {
  /** The scopes that the user may give the key. */
  readonly scopes: Answer<"GET", "/access-keys">["scopes"];
  readonly defaultScopes: Answer<"GET", "/access-keys">["default_scopes"];
  readonly onDone: (key: Answer<"POST", "/access-keys">) => void;
  readonly onClose: () => void;
};

/** The dialog of a new access key. */
export function NewKeyDialog({ scopes, defaultScopes, onDone, onClose }: Props) {
  const hasDefault = defaultScopes.length > 0;
  return (
    <FormDialog
      title={keys.createTitle}
      label={keys.create}
      size="xl"
      initialValues={{
        name: "",
        all: hasDefault ? "yes" : "no",
        scopes: [] as string[],
        expires_on: "",
        allowed_addresses: "",
      }}
      validate={{ scopes: (chosen, { all }) => (all === "no" && chosen.length === 0 ? keys.noScope : null) }}
      submit={({ name, all, scopes: chosen, expires_on, allowed_addresses }) =>
        api("POST", "/access-keys", {
          body: {
            name,
            scopes: all === "yes" ? defaultScopes : chosen,
            expires_on,
            allowed_addresses: allowed_addresses.split(/[\s,;]+/).filter((each) => each !== ""),
          },
        })
      }
      changes={["/access-keys"]}
      onDone={onDone}
      onClose={onClose}
    >
      {({ form, field }) => (
        <>
          <TextInput {...field("name", keys.name, keys.nameHint)} maxLength={60} data-autofocus />
          <Radio.Group {...field("all", keys.may)}>
            <Stack gap={8} mt="xs">
              <Radio value="yes" label={keys.usual} disabled={!hasDefault} />
              <Radio value="no" label={keys.chosen} />
            </Stack>
          </Radio.Group>
          {form.values.all === "no" && <PermissionFields {...field("scopes", keys.scopes)} only={scopes} />}
          <DateField {...field("expires_on", keys.lastDay, keys.lastDayHint)} />
          <Textarea {...field("allowed_addresses", keys.addresses, keys.addressesHint)} autosize minRows={1} />
        </>
      )}
    </FormDialog>
  );
}
