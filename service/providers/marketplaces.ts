import { CannotStart, type Settings } from '../kernel/index.ts'
import { createCatFee } from './catfee/index.ts'
import { createErgon } from './ergon/index.ts'
import type { Access, Outside } from './http.ts'
import { createItrx } from './itrx/index.ts'
import type { Marketplace } from './marketplace.ts'
import { createTronSave } from './tronsave/index.ts'
import { createTronZap } from './tronzap/index.ts'

/** Every adapter by its name. `secret` says whether its requests are signed with one. */
const ADAPTERS = {
  catfee: { create: createCatFee, secret: true },
  itrx: { create: createItrx, secret: true },
  tronsave: { create: createTronSave, secret: false },
  tronzap: { create: createTronZap, secret: true },
  ergon: { create: createErgon, secret: false },
  ergon_2: {
    create: (access: Access, outside: Outside) => createErgon(access, outside, 'ergon_2'),
    secret: false,
  },
} as const

export type MarketplaceName = keyof typeof ADAPTERS
export type MarketplaceAccess = Access & { name: MarketplaceName }

export function createMarketplaces(
  accesses: readonly MarketplaceAccess[],
  outside: Outside,
): Marketplace[] {
  return accesses.map(({ name, ...access }) => ADAPTERS[name].create(access, outside))
}

/** The marketplaces whose key is set. A key without its secret, or the reverse, stops the start. */
export function accessesOf(settings: Settings): MarketplaceAccess[] {
  const given: MarketplaceAccess[] = [
    {
      name: 'catfee',
      url: settings.CATFEE_URL,
      key: settings.CATFEE_KEY,
      secret: settings.CATFEE_SECRET,
    },
    { name: 'itrx', url: settings.ITRX_URL, key: settings.ITRX_KEY, secret: settings.ITRX_SECRET },
    { name: 'tronsave', url: settings.TRONSAVE_URL, key: settings.TRONSAVE_KEY, secret: '' },
    {
      name: 'tronzap',
      url: settings.TRONZAP_URL,
      key: settings.TRONZAP_KEY,
      secret: settings.TRONZAP_SECRET,
    },
    { name: 'ergon', url: settings.UPSTREAM_URL, key: settings.UPSTREAM_KEY, secret: '' },
    { name: 'ergon_2', url: settings.UPSTREAM_2_URL, key: settings.UPSTREAM_2_KEY, secret: '' },
  ]
  return given.filter(({ name, url, key, secret }) => {
    const prefix = name.toUpperCase().replace('ERGON', 'UPSTREAM')
    if (secret && !key) throw new CannotStart(`${prefix}_SECRET is set without ${prefix}_KEY.`)
    if (!key) return false
    if (!url) throw new CannotStart(`${prefix}_KEY is set without ${prefix}_URL.`)
    if (ADAPTERS[name].secret && !secret) {
      throw new CannotStart(`${prefix}_KEY is set without ${prefix}_SECRET.`)
    }
    return true
  })
}
