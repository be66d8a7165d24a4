// The client: one method for each operation of the API, and iterators over its lists.
import type * as api from "./generated/types.gen.ts";
import { resourcesOf } from "./generated/resources.gen.ts";
import { withQuery, type Call } from "./resources.ts";
import { Transport, type ClientOptions, type Operation, type RequestOptions } from "./transport.ts";

/** The body of a request without the keys, which the client adds. */
type Body<Data extends { readonly body: object }> = Omit<Data["body"], "access_key_id" | "secret_access_key">;
type Filter<Data extends { readonly body: object }> = Omit<Body<Data>, "page" | "limit">;
/** A page of a list. */
export type Paging = { readonly page?: number; readonly limit?: number };

/** As many records as a page may have. */
const PAGE_SIZE = 1000;

const token = (path: string, kind: Operation["kind"] = "keyed"): Operation => {
  return { method: "POST", path: `/api/v1/${path}`, credentials: "token", kind };
};
const read = (path: string): Operation => ({
  method: "GET",
  path: `/api/v1/${path}`,
  credentials: "token",
  kind: "read",
});
const keys = (path: string, kind: Operation["kind"] = "keyed"): Operation => {
  return { method: "POST", path: `/api/${path}`, credentials: "body", kind };
};

/** The operations of /api/v4, by resource: `transfers.list`, `invoices.creditNotes.create`. */
export type V4 = ReturnType<typeof resourcesOf>;

/** A merchant's access to Nodal. Every method answers with the body of the API's answer, and throws NodalApiError. */
export class NodalClient {
  readonly #transport: Transport;
  /** /api/v4 for the key's own merchant, and for an operator the installation. */
  readonly v4: V4;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.v4 = resourcesOf(this.#callBelow("/api/v4"));
  }

  /** /api/v4 for a merchant that an operator names. */
  merchant(merchantId: string): V4 {
    return resourcesOf(this.#callBelow(`/api/v4/merchants/${encodeURIComponent(merchantId)}`));
  }

  #callBelow(base: string): Call {
    return (method, path, { query, body, file, answersFile, options }) => {
      const kind = method === "GET" ? "read" : "keyed";
      const operation = {
        method,
        path: `${base}${withQuery(path, query)}`,
        credentials: "basic",
        kind,
        answersFile,
      } as const;
      return this.#transport.send(operation, file ?? body, options);
    };
  }

  // Payouts

  saveBeneficiary(body: Body<api.SaveBeneficiaryData>, options?: RequestOptions): Promise<api.SaveBeneficiaryResponse> {
    return this.#transport.send(token("beneficiary/save"), body, options);
  }

  listBeneficiaries(paging: Paging = {}, options?: RequestOptions): Promise<api.ListBeneficiariesResponse> {
    return this.#transport.send(read(`beneficiary/list${queryOf(paging)}`), undefined, options);
  }

  findBeneficiary(body: Body<api.FindBeneficiaryData>, options?: RequestOptions): Promise<api.FindBeneficiaryResponse> {
    return this.#transport.send(token("beneficiary/detail", "read"), body, options);
  }

  /** The same `reference_id` is the same transfer, for ever: sent again, it moves no money. */
  createTransfer(body: Body<api.CreateTransferData>, options?: RequestOptions): Promise<api.CreateTransferResponse> {
    return this.#transport.send(token("beneficiary/transfer"), body, options);
  }

  cancelScheduledTransfer(
    body: Body<api.CancelScheduledTransferData>,
    options?: RequestOptions,
  ): Promise<api.CancelScheduledTransferResponse> {
    return this.#transport.send(token("beneficiary/transfer/cancel", "once"), body, options);
  }

  listScheduledTransfers(
    after: { readonly after?: string; readonly after_day?: string; readonly limit?: number } = {},
    options?: RequestOptions,
  ): Promise<api.ListScheduledTransfersResponse> {
    return this.#transport.send(read(`beneficiary/transfer/scheduled${queryOf(after)}`), undefined, options);
  }

  createTransferBatch(
    body: Body<api.CreateTransferBatchData>,
    options?: RequestOptions,
  ): Promise<api.CreateTransferBatchResponse> {
    return this.#transport.send(token("beneficiary/transfer/batch"), body, options);
  }

  getTransferBatch(
    batchId: string,
    paging: Paging = {},
    options?: RequestOptions,
  ): Promise<api.GetTransferBatchResponse> {
    const path = `beneficiary/transfer/batch/status/${encodeURIComponent(batchId)}${queryOf(paging)}`;
    return this.#transport.send(read(path), undefined, options);
  }

  cancelTransferBatch(
    body: Body<api.CancelTransferBatchData>,
    options?: RequestOptions,
  ): Promise<api.CancelTransferBatchResponse> {
    return this.#transport.send(token("beneficiary/transfer/batch/cancel", "once"), body, options);
  }

  createWithdrawal(
    body: Body<api.CreateWithdrawalData>,
    options?: RequestOptions,
  ): Promise<api.CreateWithdrawalResponse> {
    return this.#transport.send(token("payout/withdraw"), body, options);
  }

  getBalance(options?: RequestOptions): Promise<api.GetBalanceResponse> {
    return this.#transport.send(read("payout/balance"), undefined, options);
  }

  /** A transfer or withdrawal, by Nodal's id or by the merchant's reference. */
  getTransferStatus(
    type: "transferid" | "referenceid",
    id: string,
    options?: RequestOptions,
  ): Promise<api.GetTransferStatusResponse> {
    return this.#transport.send(read(`payout/transferstatus/${type}/${encodeURIComponent(id)}`), undefined, options);
  }

  // Franchises

  saveFranchise(body: Body<api.SaveFranchiseData>, options?: RequestOptions): Promise<api.SaveFranchiseResponse> {
    return this.#transport.send(token("franchise/save"), body, options);
  }

  updateFranchise(body: Body<api.UpdateFranchiseData>, options?: RequestOptions): Promise<api.UpdateFranchiseResponse> {
    return this.#transport.send(token("franchise/update"), body, options);
  }

  deleteFranchise(body: Body<api.DeleteFranchiseData>, options?: RequestOptions): Promise<api.DeleteFranchiseResponse> {
    return this.#transport.send(token("franchise/delete"), body, options);
  }

  // Customers

  saveCustomers(body: Body<api.SaveCustomersData>, options?: RequestOptions): Promise<api.SaveCustomersResponse> {
    return this.#transport.send(keys("v1/merchant/customer/save"), body, options);
  }

  updateCustomers(body: Body<api.UpdateCustomersData>, options?: RequestOptions): Promise<api.UpdateCustomersResponse> {
    return this.#transport.send(keys("v1/merchant/customer/update"), body, options);
  }

  findCustomer(body: Body<api.FindCustomerData>, options?: RequestOptions): Promise<api.FindCustomerResponse> {
    return this.#transport.send(keys("v1/merchant/customer/detail", "read"), body, options);
  }

  listCustomers(body: Body<api.ListCustomersData>, options?: RequestOptions): Promise<api.ListCustomersResponse> {
    return this.#transport.send(keys("v1/merchant/customer/getlist", "read"), body, options);
  }

  // Invoicing

  saveInvoices(body: Body<api.SaveInvoicesData>, options?: RequestOptions): Promise<api.SaveInvoicesResponse> {
    return this.#transport.send(keys("v3/merchant/invoice/save"), body, options);
  }

  updateInvoice(body: Body<api.UpdateInvoiceData>, options?: RequestOptions): Promise<api.UpdateInvoiceResponse> {
    return this.#transport.send(keys("v3/merchant/invoice/update"), body, options);
  }

  cancelInvoice(body: Body<api.CancelInvoiceData>, options?: RequestOptions): Promise<api.CancelInvoiceResponse> {
    return this.#transport.send(keys("v3/merchant/invoice/deleteInvoice"), body, options);
  }

  settleInvoice(body: Body<api.SettleInvoiceData>, options?: RequestOptions): Promise<api.SettleInvoiceResponse> {
    return this.#transport.send(keys("v2/merchant/invoice/settle"), body, options);
  }

  getInvoice(body: Body<api.GetInvoiceData>, options?: RequestOptions): Promise<api.GetInvoiceResponse> {
    return this.#transport.send(keys("v1/merchant/invoice/detail", "read"), body, options);
  }

  listInvoices(body: Body<api.ListInvoicesData> = {}, options?: RequestOptions): Promise<api.ListInvoicesResponse> {
    return this.#transport.send(keys("v1/merchant/invoice/getlist", "read"), body, options);
  }

  saveSubscription(
    body: Body<api.SaveSubscriptionData>,
    options?: RequestOptions,
  ): Promise<api.SaveSubscriptionResponse> {
    return this.#transport.send(keys("v1/merchant/subscription/save"), body, options);
  }

  // Lists, record by record, page after page

  beneficiaries(options?: IterationOptions): AsyncGenerator<api.Beneficiary> {
    return everyRecord(async (page) => (await this.listBeneficiaries(page, options)).success, options);
  }

  transfersOfBatch(batchId: string, options?: IterationOptions): AsyncGenerator<api.BatchTransferOutcome> {
    return everyRecord(
      async (page) => (await this.getTransferBatch(batchId, page, options)).success.transfers,
      options,
    );
  }

  /** Records of invoices: one for each invoice of each customer that matches, and one for a customer without any. */
  customers(filter: Filter<api.ListCustomersData>, options?: IterationOptions): AsyncGenerator<api.InvoiceRecord> {
    return everyRecord(async (page) => (await this.listCustomers({ ...filter, ...page }, options)).srvrsp, options);
  }

  invoices(filter: Filter<api.ListInvoicesData> = {}, options?: IterationOptions): AsyncGenerator<api.InvoiceRecord> {
    return everyRecord(async (page) => (await this.listInvoices({ ...filter, ...page }, options)).srvrsp, options);
  }

  /** By day. The list goes on behind its last record, whatever is cancelled or made meanwhile. */
  async *scheduledTransfers({
    pageSize: limit = PAGE_SIZE,
    ...options
  }: IterationOptions = {}): AsyncGenerator<api.BatchTransferOutcome> {
    let place = {};
    for (;;) {
      const { success } = await this.listScheduledTransfers({ ...place, limit }, options);
      yield* success;
      const last = success.at(-1);
      if (last === undefined || success.length < limit) return;
      place = { after: last.transfer_id, after_day: last.scheduled_for };
    }
  }
}

export type IterationOptions = Pick<RequestOptions, "signal"> & {
  /** How many records are asked for at once; 1,000 where it is left out, and at most. */
  readonly pageSize?: number;
};

/** What is added while the pages are read may make a record come twice, or not at all. */
async function* everyRecord<Item>(
  readPage: (page: { page: number; limit: number }) => Promise<readonly Item[]>,
  { pageSize: limit = PAGE_SIZE }: IterationOptions = {},
): AsyncGenerator<Item> {
  for (let page = 1; ; page += 1) {
    const records = await readPage({ page, limit });
    yield* records;
    if (records.length < limit) return;
  }
}

function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}
