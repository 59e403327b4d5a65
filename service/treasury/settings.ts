import { parseAddress, toBase58 } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Db } from '../db/index.ts'
import { formatTrx, type Runtime } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import type { DestinationRow, Signing } from '../signing/index.ts'
import {
  type FloatRow,
  type HotWalletRow,
  readFloats,
  readHotWallet,
  setFloat,
  setHotWallet,
  turnFloat,
  turnHotWallet,
} from './settings.sql.ts'

export type Said = { who: string; why: string }
export type Refused = { refused: string }
export type HotWalletWish = { floor: bigint; ceiling: bigint; cold: string }
export type FloatWish = { address: string; floor: bigint; ceiling: bigint; dailyCap: bigint }

/** Settings by people. A refusal is a sentence; what is set stays off until it is turned on. */
export type Settings = {
  hotWallet(): Promise<HotWalletRow | undefined>
  floats(): Promise<FloatRow[]>
  setHotWallet(wish: HotWalletWish, said: Said): Promise<HotWalletRow | Refused>
  turnHotWallet(enabled: boolean, said: Said): Promise<HotWalletRow | Refused>
  setFloat(provider: string, wish: FloatWish, said: Said): Promise<FloatRow | Refused>
  turnFloat(provider: string, enabled: boolean, said: Said): Promise<FloatRow | Refused>
}

/** The least top-up and surplus: marketplaces take no less, and a smaller one is not worth its fee. */
export const LEAST_TRANSFER = 10_000_000n

type Deps = {
  db: Db
  runtime: Runtime
  addresses: Addresses
  providers: Providers
  signing: Signing
}

export function createSettings(deps: Deps): Settings {
  const { db, runtime, addresses, providers, signing } = deps
  const now = () => runtime.clock.now()
  const hotWallet = async () => (await db.query(readHotWallet))[0]
  const floats = () => db.query(readFloats)
  const floatOf = async (name: string) => (await floats()).find(({ provider }) => provider === name)

  /** The destination in the signer's file, or why it is none. */
  async function destinationAt(address: string): Promise<DestinationRow | string> {
    const hex = address.startsWith('T') ? parseAddress(address) : undefined
    if (!hex) return 'That is not a TRON address.'
    // The hot wallet's own TRX would seem to have left it, and a client's deposit address belongs to a client.
    if (await addresses.isOurs(hex)) {
      return `${address} is an address of ours (hot wallet, stake or deposit address): no transfer goes there.`
    }
    const found = (await signing.destinations()).find((one) => one.address === hex)
    if (found) return found
    return `${address} is not a destination of the treasury in the signer's file, or does not count yet: npx ergon signer treasury add.`
  }

  async function objectionToCold(cold: string): Promise<string | undefined> {
    const found = await destinationAt(cold)
    if (typeof found === 'string') return found
    const float = (await floats()).find(({ address }) => address === cold)
    return float && `${float.provider} takes its top-ups there: it is not a cold address.`
  }

  async function objectionToFloat(name: string, wish: FloatWish): Promise<string | undefined> {
    const { address, dailyCap, floor, ceiling } = wish
    const found = await destinationAt(address)
    if (typeof found === 'string') return found
    const isKnown = (await providers.list()).some((one) => one.name === name)
    if (!isKnown || name === 'own_stake') return `There is no marketplace ${name}.`
    if ((await hotWallet())?.cold === address) return 'That is the cold address.'
    const other = (await floats()).find((one) => one.provider !== name && one.address === address)
    if (other) return `${other.provider} takes its top-ups there: they could not be told apart.`
    if (dailyCap < LEAST_TRANSFER) {
      return `The daily cap is at least ${formatTrx(LEAST_TRANSFER)} TRX, the least top-up.`
    }
    if (dailyCap > found.day) {
      return `The signer signs at most ${formatTrx(found.day)} TRX a day to ${address}: the daily cap cannot be above.`
    }
    return objectionToBounds(floor, ceiling)
  }

  return {
    hotWallet,
    floats,
    async setHotWallet({ floor, ceiling, cold }, { who, why }) {
      const refused = objectionToBounds(floor, ceiling) ?? (await objectionToCold(cold))
      if (refused) return { refused }
      await db.query(setHotWallet, [floor, ceiling, cold, who, now(), why])
      return (await hotWallet())!
    },
    async turnHotWallet(enabled, { who, why }) {
      const row = await hotWallet()
      if (!row) return { refused: 'Set floor, ceiling and cold address first.' }
      const refused = enabled ? await objectionToCold(row.cold) : undefined
      if (refused) return { refused }
      await db.query(turnHotWallet, [enabled, who, now(), why])
      return (await hotWallet())!
    },
    async setFloat(provider, wish, { who, why }) {
      const refused = await objectionToFloat(provider, wish)
      if (refused) return { refused }
      const { address, floor, ceiling, dailyCap } = wish
      await db.query(setFloat, [provider, address, floor, ceiling, dailyCap, who, now(), why])
      return (await floatOf(provider))!
    },
    async turnFloat(provider, enabled, { who, why }) {
      const row = await floatOf(provider)
      if (!row) return { refused: `The float at ${provider} has no settings: set them first.` }
      const refused = enabled ? await objectionToFloat(provider, row) : undefined
      if (refused) return { refused }
      await db.query(turnFloat, [provider, enabled, who, now(), why])
      return (await floatOf(provider))!
    },
  }
}

function objectionToBounds(floor: bigint, ceiling: bigint): string | undefined {
  if (floor < 0n) return 'The floor is zero or above.'
  if (ceiling - floor >= LEAST_TRANSFER) return undefined
  return `The ceiling is at least ${formatTrx(LEAST_TRANSFER)} TRX above the floor.`
}

/** What the signer still signs to an address: its caps less what was asked for, or nothing for another address. */
export function leftOf(
  destinations: readonly DestinationRow[],
  address: string,
  sent: { hour: bigint; day: bigint },
): bigint | undefined {
  const found = destinations.find((one) => toBase58(one.address) === address)
  if (!found) return undefined
  const [hour, day] = [found.hour - sent.hour, found.day - sent.day]
  return hour < day ? hour : day
}
