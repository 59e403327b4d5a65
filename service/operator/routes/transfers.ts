import {
  getOperatorFloats,
  getOperatorHotWallet,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorFloat,
  postOperatorFloatSwitch,
  postOperatorHotWallet,
  postOperatorHotWalletSwitch,
  postOperatorTopUpDecision,
} from '@ergon/contract'
import { assert, formatTrx, parseTrx } from '../../kernel/index.ts'
import type { FloatView, HotWalletView, TransferView } from '../../treasury/index.ts'
import { createTreasuryDeeds, forecastLines } from '../treasuryDeeds.ts'
import { type ConsoleDeps, isoOf } from './deps.ts'

const LISTED = 100

/** Surplus of the hot wallet, and floats at marketplaces. */
export function transferRoutes({ rooms: { treasury }, operator }: ConsoleDeps): HandledRoute[] {
  const deeds = createTreasuryDeeds({ treasury, actions: operator.actions })
  const listed = async (kind: TransferView['kind']) =>
    (await treasury.view.transfers(LISTED)).filter((one) => one.kind === kind).map(transferReply)
  return [
    handle(getOperatorHotWallet, async () =>
      hotWalletReply(await treasury.view.hotWallet(), await listed('surplus')),
    ),
    handle(postOperatorHotWallet, async ({ account: who }, { body }) => {
      const wish = {
        floor: sunIn(body.floor_trx),
        ceiling: sunIn(body.ceiling_trx),
        cold: body.cold_address,
      }
      const done = await deeds.setHotWallet(wish, { who, why: body.why })
      return isRefusal(done) ? done : settingsReply(done)
    }),
    handle(postOperatorHotWalletSwitch, async ({ account: who }, { body }) => {
      const done = await deeds.turnHotWallet(body.enabled, { who, why: body.why })
      return isRefusal(done) ? done : settingsReply(done)
    }),
    handle(getOperatorFloats, async () => ({
      floats: (await treasury.view.floats()).map((one) => ({
        provider: one.provider,
        settings: one.set ? floatReply(one.set) : null,
        balance_trx: one.balance === null ? null : formatTrx(one.balance),
        seen_at: isoOf(one.seenAt),
        waits: one.waits ?? null,
      })),
      transfers: await listed('top_up'),
    })),
    handle(postOperatorFloat, async ({ account: who }, { params: { provider }, body }) => {
      const wish = {
        address: body.deposit_address,
        floor: sunIn(body.floor_trx),
        ceiling: sunIn(body.ceiling_trx),
        dailyCap: sunIn(body.daily_cap_trx),
      }
      const done = await deeds.setFloat(provider, wish, { who, why: body.why })
      return isRefusal(done) ? done : floatReply(done)
    }),
    handle(postOperatorFloatSwitch, async ({ account: who }, { params: { provider }, body }) => {
      const done = await deeds.turnFloat(provider, body.enabled, { who, why: body.why })
      return isRefusal(done) ? done : floatReply(done)
    }),
    handle(postOperatorTopUpDecision, async ({ account: who }, { params: { id }, body }) => {
      const credited = body.credited_trx === undefined ? undefined : sunIn(body.credited_trx)
      const done = await deeds.decide(id, body.as, credited, { who, why: body.why })
      return isRefusal(done) ? done : { state: done.state }
    }),
  ]
}

/** The schema has checked its form. */
function sunIn(text: string): bigint {
  const amount = parseTrx(text)
  assert(amount !== undefined, `${text} is an amount by the schema`)
  return amount
}

const changedReply = (row: { changedBy: string; changedAt: Date; reason: string }) => ({
  changed_by: row.changedBy,
  changed_at: row.changedAt.toISOString(),
  reason: row.reason,
})

function settingsReply(row: NonNullable<HotWalletView['set']>) {
  return {
    enabled: row.enabled,
    floor_trx: formatTrx(row.floor),
    ceiling_trx: formatTrx(row.ceiling),
    cold_address: row.cold,
    ...changedReply(row),
  }
}

function floatReply(row: NonNullable<FloatView['set']>) {
  return {
    enabled: row.enabled,
    deposit_address: row.address,
    floor_trx: formatTrx(row.floor),
    ceiling_trx: formatTrx(row.ceiling),
    daily_cap_trx: formatTrx(row.dailyCap),
    ...changedReply(row),
  }
}

function hotWalletReply(view: HotWalletView, transfers: ReturnType<typeof transferReply>[]) {
  const { set, recorded, underWay, forecast, outlook, waits, destinations } = view
  return {
    settings: set ? settingsReply(set) : null,
    destinations: destinations.map(({ address, hour, day }) => ({
      address,
      hour_trx: formatTrx(hour),
      day_trx: formatTrx(day),
    })),
    forecast: forecastLines(forecast),
    outlook:
      outlook && recorded
        ? {
            hot_trx: formatTrx(recorded.hot),
            under_way_trx: formatTrx(underWay),
            after_day_trx: formatTrx(outlook.afterDay),
            hours_left: outlook.hoursLeft ?? null,
            is_short: set?.enabled === true && outlook.isShort,
            free_trx: formatTrx(outlook.free),
            surplus_trx: formatTrx(set?.enabled ? outlook.amount : 0n),
          }
        : null,
    waits: waits ?? null,
    transfers,
  }
}

function transferReply(row: TransferView) {
  return {
    id: row.id,
    kind: row.kind,
    provider: row.provider,
    to: row.to,
    amount_trx: formatTrx(row.amount),
    step: row.step,
    txid: row.txid,
    created_at: row.createdAt.toISOString(),
    fee_trx: row.fee === null ? null : formatTrx(row.fee),
    trouble: row.trouble,
    due_at: isoOf(row.dueAt),
    credited_trx: row.credited === null ? null : formatTrx(row.credited),
    decided_by: row.decidedBy,
  }
}
