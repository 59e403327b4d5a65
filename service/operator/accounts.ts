import type { Addresses } from '../addresses/index.ts'
import type { Accounts, Clients } from '../identity/index.ts'
import { isUuid } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Pricing } from '../pricing/index.ts'

type Deps = {
  accounts: Accounts
  clients: Clients
  addresses: Addresses
  ledger: Ledger
  pricing: Pricing
}

const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

/** By id, by login or part of it, by part of a name, by group, by wallet, or by an address that was allotted to the account. */
export async function findAccounts(deps: Deps, text: string, limit: number) {
  const { accounts, addresses, clients, ledger, pricing } = deps
  const id = isUuid(text) ? text : ADDRESS.test(text) ? await addresses.ownerOf(text) : undefined
  const found = await accounts.search(text, id, limit)
  return Promise.all(
    found.map(async (account) => ({
      ...account,
      ...(await ledger.balanceOf(account.id)),
      discount: pricing.discountOf(account.id),
      limits: clients.limitsOf(account.id),
    })),
  )
}
