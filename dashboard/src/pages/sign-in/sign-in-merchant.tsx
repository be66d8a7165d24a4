// The merchant that the address of a page before signing in may name: /sign-in?merchant=1000001.
// What belongs here: reading it, and keeping it on the way from one such page to the next.
import { Anchor, type AnchorProps } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** The merchant's number; `null` where none is named, or what is named is no number. */
export function useSignInMerchant(): string | null {
  const { merchant = "" }: { merchant?: string } = useSearch({ strict: false });
  return /^[0-9]{1,16}$/.test(merchant) ? merchant : null;
}

/** What a request about a login says of the merchant. */
export function merchantPart(merchant: string | null): { readonly merchant?: string } {
  return merchant === null ? {} : { merchant };
}

type Props = AnchorProps & { readonly to: "/sign-in" | "/forgot-password"; readonly children: ReactNode };

/** A link to another page before signing in, for the same merchant. */
export function SignInLink({ to, children, ...props }: Props) {
  return (
    <Anchor component={Link} to={to} search={merchantPart(useSignInMerchant()) as never} size="sm" {...props}>
      {children}
    </Anchor>
  );
}
