import { type Refusal, refuse } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import { isUuid, type Runtime } from '../kernel/index.ts'
import { accountBlocked, type Ledger } from '../ledger/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Config, Offer } from './config.ts'
import {
  type AgentTerms,
  adminPause,
  adminRelease,
  changeConfig,
  deleteConfig,
  findConfig,
  lockConfig,
  ownerOf,
  readTerms,
  searchConfigs,
  setStatus,
} from './configs.sql.ts'
import { noConfig, offerRefusal } from './rules.ts'

export type ConfigChange = Partial<Offer> & { title?: string }

export type Configs = ReturnType<typeof createConfigs>

type Deps = { db: Db; runtime: Runtime; ledger: Ledger; pricing: Pricing }

/** Changes of a client to its configurations. Each locks one row and then checks it. */
export function createConfigs({ db, runtime, ledger, pricing }: Deps) {
  const readTermsNow = async (): Promise<AgentTerms> => (await db.query(readTerms))[0]!

  async function change(
    account: string,
    id: string,
    work: (tx: Tx, config: Config) => Promise<Refusal | undefined>,
  ): Promise<Config | Refusal> {
    if (!isUuid(id)) return noConfig()
    const refusal = await db.transaction(async (tx) => {
      const [config] = await tx.query(lockConfig, [account, id])
      return config ? work(tx, config) : noConfig()
    })
    if (refusal) return refusal
    return (await db.query(findConfig, [account, id]))[0] ?? noConfig()
  }

  /** Undefined when the client may have an active configuration: it is not blocked, and the balance is enough. */
  async function balanceRefusal(
    account: string,
    { minBalance }: AgentTerms,
  ): Promise<Refusal | undefined> {
    const { balance, block } = await ledger.balanceOf(account)
    if (block) return accountBlocked(block.reason)
    if (balance >= minBalance) return undefined
    return refuse('below_min_balance', { min_balance_sun: minBalance, balance_sun: balance })
  }

  return {
    terms: readTermsNow,
    balanceRefusal,

    async patch(account: string, id: string, wanted: ConfigChange): Promise<Config | Refusal> {
      const terms = await readTermsNow()
      if (!terms.enabled) return refuse('program_disabled')
      return change(account, id, async (tx, config) => {
        const after = { ...config, ...wanted }
        const { title: _title, ...offer } = wanted
        const changesOffer = Object.keys(offer).length > 0
        const { maxUnitsCap } = terms
        // A change of the title alone is allowed even if the base payment is too low by now.
        const refusal = changesOffer && offerRefusal({ pricing, account, maxUnitsCap }, after)
        if (refusal) return refusal
        if (Object.keys(wanted).length === 0) return undefined
        const { title, energyPerUnit, basePayment, maxUnits } = after
        const values = [title, energyPerUnit, basePayment, maxUnits, !changesOffer]
        await tx.query(changeConfig, [id, ...values, runtime.clock.now()])
        return undefined
      })
    },

    pause: (account: string, id: string): Promise<Config | Refusal> =>
      change(account, id, async (tx, { status }) => {
        if (status === 'active') {
          await tx.query(setStatus, [id, 'paused', 'user', runtime.clock.now()])
        }
        return undefined
      }),

    async resume(account: string, id: string): Promise<Config | Refusal> {
      const terms = await readTermsNow()
      if (!terms.enabled) return refuse('program_disabled')
      const short = await balanceRefusal(account, terms)
      return change(account, id, async (tx, { status, pauseReason }) => {
        if (status === 'active') return undefined
        if (pauseReason === 'admin') return refuse('admin_paused')
        if (short) return short
        await tx.query(setStatus, [id, 'active', null, runtime.clock.now()])
        return undefined
      })
    },

    async remove(account: string, id: string): Promise<Refusal | undefined> {
      if (!isUuid(id)) return noConfig()
      return db.transaction(async (tx) => {
        const [config] = await tx.query(lockConfig, [account, id])
        if (!config) return noConfig()
        if (config.mode === 'generated') return refuse('generated_not_deletable')
        await tx.query(deleteConfig, [id, runtime.clock.now()])
        return undefined
      })
    },

    /** A pause by an operator; the owner cannot undo it. */
    async adminPause(id: string): Promise<Config | Refusal> {
      if (!isUuid(id)) return noConfig()
      const [owner] = await db.query(ownerOf, [id])
      const [paused] = await db.query(adminPause, [id, runtime.clock.now()])
      if (!owner || !paused) return noConfig()
      return (await db.query(findConfig, [owner.account, id]))[0] ?? noConfig()
    },

    /** Ends an operator's pause. It stays paused until its owner resumes it, which checks balance and prices. */
    async adminRelease(id: string): Promise<Config | Refusal> {
      if (!isUuid(id)) return noConfig()
      const [owner] = await db.query(ownerOf, [id])
      const [released] = await db.query(adminRelease, [id, runtime.clock.now()])
      if (!owner || !released) return noConfig()
      return (await db.query(findConfig, [owner.account, id]))[0] ?? noConfig()
    },

    /** Of all accounts or of one: for operators. */
    search: (account: string | undefined, limit: number): Promise<Config[]> =>
      db.query(searchConfigs, [account ?? null, limit]),
  }
}
