// Splits a receipt among invoices; the dashboard's form uses it too. docs/rules/receipts.md#use

/** A part of a receipt, in paise: money, and the TDS beside it. */
export type Share = { readonly moneyPaise: bigint; readonly tdsPaise: bigint };

/**
 * Splits a receipt among dues (paise) in order, as far as it lasts. TDS is split with the money in proportion, to the paisa.
 * @returns a share for each due; zero if nothing is left
 */
export function shareInOrder(dues: readonly bigint[], { moneyPaise, tdsPaise }: Share): Share[] {
  const totalPaise = moneyPaise + tdsPaise;
  let sharedPaise = 0n;
  return dues.map((duePaise) => {
    const leftPaise = totalPaise - sharedPaise;
    const paise = duePaise < leftPaise ? duePaise : leftPaise;
    if (paise === 0n) return { moneyPaise: 0n, tdsPaise: 0n };
    const tds = ((sharedPaise + paise) * tdsPaise) / totalPaise - (sharedPaise * tdsPaise) / totalPaise;
    sharedPaise += paise;
    return { moneyPaise: paise - tds, tdsPaise: tds };
  });
}
