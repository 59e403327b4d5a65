import type { Db, Queryable } from '../../db/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { Issuer } from './issuer.ts'
import { type Client, readParticulars, writeParticulars } from './particulars.sql.ts'

const NO_CLIENT: Client = { name: '', address: '', taxNumber: '' }

export const isSet = (side: Issuer | Client) => Object.values(side).some((text) => text !== '')

export type Particulars = {
  /** Within a transaction: by its connection. */
  read(account: string, of?: Queryable): Promise<Client>
  write(account: string, client: Client): Promise<void>
}

export function createParticulars({ db, clock }: { db: Db; clock: Clock }): Particulars {
  return {
    read: async (account, of = db) => (await of.query(readParticulars, [account]))[0] ?? NO_CLIENT,
    async write(account, { name, address, taxNumber }) {
      await db.query(writeParticulars, [account, name, address, taxNumber, clock.now()])
    },
  }
}
