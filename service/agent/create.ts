import { type Refusal, refuse } from '@ergon/contract'
import { type HexAddress, parseAddress, toHex } from '@ergon/tron'
import { type Addresses, isOwnershipProven } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Config, Offer } from './config.ts'
import type { AgentTerms } from './configs.sql.ts'
import type { Configs } from './configs.ts'
import {
  countConfigs,
  displaceConfig,
  findClaim,
  insertConfig,
  lastLeft,
  lockClient,
} from './create.sql.ts'
import { newPublicId } from './publicId.ts'
import { offerRefusal } from './rules.ts'

export type ConfigWish = Offer & {
  mode: 'own' | 'generated'
  address: string
  title: string
  ownershipSignature: string | undefined
}

type Deps = {
  db: Db
  runtime: Runtime
  addresses: Addresses
  chain: Chain
  pricing: Pricing
  configs: Configs
}

/** Creates a configuration. Its address is watched before it is shown. */
export function createCreating(deps: Deps) {
  const { db, runtime, addresses, chain, pricing, configs } = deps

  return async (account: string, wish: ConfigWish): Promise<Config | Refusal> => {
    const terms = await configs.terms()
    if (!terms.enabled) return refuse('program_disabled')
    const refusal = (await addressRefusal(account, wish)) ?? rulesRefusal(account, wish, terms)
    if (refusal) return refusal
    const short = await configs.balanceRefusal(account, terms)
    return db.transaction(async (tx) => {
      await tx.query(lockClient, [account])
      const [count] = await tx.query(countConfigs, [account])
      if (count!.all >= terms.maxConfigs) return refuse('config_limit')
      if (wish.mode === 'generated' && count!.generated >= terms.maxGenerated) {
        return refuse('generated_limit')
      }
      if (short) return short
      return (await insert(tx, account, wish)) ?? refuse('address_taken')
    })
  }

  function rulesRefusal(account: string, wish: ConfigWish, { maxUnitsCap }: AgentTerms) {
    return offerRefusal({ pricing, account, maxUnitsCap }, wish)
  }

  async function addressRefusal(account: string, wish: ConfigWish): Promise<Refusal | undefined> {
    if (wish.mode === 'generated') return undefined
    const hex = wish.address.startsWith('T') ? parseAddress(wish.address) : undefined
    if (!hex) return refuse('address_invalid')
    // A node that does not answer stops nobody: the first sale asks again.
    if ((await chain.receivers.stateOf(hex)) === 'contract') return refuse('address_invalid')
    if (await addresses.isOurs(hex)) return refuse('address_reserved')
    const proven = isProven(account, wish, hex)
    if (wish.ownershipSignature !== undefined && !proven) return refuse('ownership_not_proven')
    const [claim] = await db.query(findClaim, [wish.address])
    return claim && !gives(claim, account, proven) ? refuse('address_taken') : undefined
  }

  async function insert(tx: Tx, account: string, wish: ConfigWish): Promise<Config | undefined> {
    const now = runtime.clock.now()
    const own = wish.mode === 'own' ? toHex(wish.address) : undefined
    const proven = own === undefined || isProven(account, wish, own)
    if (own !== undefined) {
      const [claim] = await tx.query(findClaim, [wish.address])
      if (claim && gives(claim, account, proven)) await tx.query(displaceConfig, [claim.id, now])
    }
    const [left] = own === undefined ? [] : await tx.query(lastLeft, [wish.address])
    const reason = left?.pauseReason === 'admin' ? 'admin' : null
    const address = own === undefined ? await addresses.allotAgent(tx, account) : wish.address
    const [made] = await tx.query(insertConfig, [
      ...[runtime.ids.next(), account, newPublicId(runtime.random), wish.mode, address, proven],
      ...[wish.title, wish.energyPerUnit, wish.basePayment, wish.maxUnits],
      ...[reason === null ? 'active' : 'paused', reason, now],
    ])
    if (made && own !== undefined) await chain.watch(tx, [own], 'agent')
    return made
  }
}

function isProven(account: string, wish: ConfigWish, wallet: HexAddress): boolean {
  const { address, ownershipSignature: signature } = wish
  return isOwnershipProven({ account, address, signature }, wallet)
}

/** Whether a claim yields to a new one: only to a proven claim of another account, and only if unproven itself. */
function gives(claim: { account: string; proven: boolean }, account: string, proven: boolean) {
  return proven && !claim.proven && claim.account !== account
}
