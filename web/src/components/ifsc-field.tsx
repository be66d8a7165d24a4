// An IFSC field that shows the bank once the code is typed.
import { TextInput, type TextInputProps } from "@mantine/core";
import { useGet } from "../api/queries.ts";
import { ifsc as words } from "../strings/payouts.ts";

export const IFSC = /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/;

/** The field. The bank replaces its description. */
export function IfscField({ description, ...props }: TextInputProps & { readonly value?: string }) {
  const code = (props.value ?? "").trim().toUpperCase();
  const { data } = useGet(`/ifsc/${code}`, { enabled: IFSC.test(code) });
  const known = data && IFSC.test(code) ? [data.bank, data.is_listed ? "" : words.unlisted] : [];
  const said = known.filter((part) => part !== "").join(". ");
  return <TextInput {...props} description={said === "" ? description : said} autoComplete="off" />;
}
