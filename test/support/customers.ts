// Customers for tests: a merchant's requests about them, and what the database then keeps. No assertion.
import type { Installation, Members, TestMerchant } from "./installation.ts";
import { ask, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "./merchant-wire.ts";
import type { Answer } from "./nodal.ts";

/** A merchant's customers. */
export class Customers {
  readonly merchant: TestMerchant;
  readonly #installation: Installation;

  private constructor(installation: Installation, merchant: TestMerchant) {
    this.#installation = installation;
    this.merchant = merchant;
  }

  /** Those of a new merchant, which has none yet. */
  static async ofNewMerchant(installation: Installation): Promise<Customers> {
    return new Customers(installation, await installation.newMerchant());
  }

  save(customer: unknown, headers?: Record<string, string>): Promise<Answer> {
    return ask(this.#installation, this.merchant, CUSTOMER_SAVE, { customer }, headers);
  }

  update(customer: unknown): Promise<Answer> {
    return ask(this.#installation, this.merchant, CUSTOMER_UPDATE, { customer });
  }

  /** Saves a customer and returns its id. */
  async add(customer: Members): Promise<number> {
    const answer = await this.save([customer]);
    if (answer.status !== 200) throw new Error(`not saved: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.srvrsp[0][0].customer_id as number;
  }

  /** Everything that the database keeps of them, oldest first. */
  async stored(): Promise<Members[]> {
    const { rows } = await this.#installation.pool.query<Members>(
      `select customer_code, customer_name, email, mobile, address, city, state, zipcode, custom_fields,
         array(
           select customer_group.name from customer_group_member member
           join customer_group using (bucket, merchant_id, group_id)
           where member.bucket = customer.bucket and member.merchant_id = customer.merchant_id
             and member.customer_id = customer.customer_id
           order by member.place) as groups
       from customer where merchant_id = $1 order by created_at, customer_id`,
      [this.merchant.id],
    );
    return rows;
  }
}
