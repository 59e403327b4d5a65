import {
  getOperatorActions,
  getOperatorCapacity,
  getOperatorFindings,
  getOperatorStatus,
  getOperatorSwitches,
  type HandledRoute,
  handle,
  postOperatorAudit,
  postOperatorSwitch,
  refuse,
} from '@ergon/contract'
import { dayAfter, isDay } from '../../books/index.ts'
import type { Recorded } from '../../deposits/index.ts'
import { formatTrx, isUuid } from '../../kernel/index.ts'
import { type ConsoleDeps, isoOf, missing } from './deps.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
const FINDINGS = 50

export function statusRoutes(deps: ConsoleDeps): HandledRoute[] {
  const { clock, operator } = deps
  return [
    handle(getOperatorStatus, async () => {
      const { selling, solvent, stuck, books, scanner, bandwidth, aside } = await operator.status()
      return {
        now: clock.now().toISOString(),
        selling: {
          ok: selling.ok,
          sentence: selling.sentence,
          price_sun: selling.price,
          wholesale_sun: selling.wholesale ?? null,
          sizes: selling.sizes.map(({ energy, price, cost, why }) => ({
            energy,
            price_sun: price,
            cost_sun: cost ?? null,
            sold: why === null,
            why,
          })),
        },
        solvent: {
          ok: solvent.ok,
          sentence: solvent.sentence,
          reconciliation: solvent.reconciliation ? reconciliationOf(solvent.reconciliation) : null,
        },
        stuck: { ...stuck, work: stuck.work.map((one) => ({ ...one, since: isoOf(one.since) })) },
        books: { ok: books.ok, sentence: books.sentence },
        scanner: {
          block: scanner.block,
          solid_block: scanner.solidBlock,
          lag_seconds: scanner.lagSeconds,
          trouble: scanner.trouble,
        },
        bandwidth: {
          ok: bandwidth.ok,
          sentence: bandwidth.sentence,
          left: bandwidth.now?.left ?? null,
          per_day: bandwidth.now?.perDay ?? null,
          orders_left: bandwidth.now?.ordersLeft ?? null,
          burned_day_trx: formatTrx(bandwidth.burned.sun),
        },
        put_aside: aside.rows.map(({ loop, subject, error, failures, firstAt, nextAt }) => ({
          loop,
          subject,
          error,
          failures,
          since: firstAt.toISOString(),
          next_try_at: nextAt.toISOString(),
        })),
      }
    }),
    handle(getOperatorCapacity, () => capacityOf(deps)),
    ...switchRoutes(deps),
    ...auditRoutes(deps),
  ]
}

/** Free Energy now, plus the reclaims of each hour, without future sales. */
async function capacityOf({ rooms, clock }: ConsoleDeps) {
  const [health, returning] = await Promise.all([
    rooms.providers.health(),
    rooms.delivery.outlook.returning(),
  ])
  const now = health.find(({ name }) => name === 'own_stake')?.capacity ?? 0n
  const byHour = new Map(returning.map(({ hour, energy }) => [Number(hour), energy]))
  let free = now
  const hours = Array.from({ length: HOURS }, (_, hour) => {
    const back = byHour.get(hour) ?? 0n
    free += back
    const at = new Date(clock.now().getTime() + (hour + 1) * HOUR_MS).toISOString()
    return { at, returning: back, free }
  })
  return { free_now: now, hours }
}

function switchRoutes({ operator }: ConsoleDeps): HandledRoute[] {
  const { actions, switches } = operator
  const find = async (name: string) => (await switches.list()).find((one) => one.name === name)
  return [
    handle(getOperatorSwitches, async () => ({ switches: await switches.list() })),
    handle(postOperatorSwitch, async ({ account: who }, { params: { name }, body }) => {
      const before = await find(name)
      if (!before) return missing('switch')
      const { enabled, why } = body
      return actions.perform({ who, what: 'switch', subject: name, why }, async () => {
        const message = switches.objectionTo(name, enabled)
        if (message) return refuse('validation_error', { message })
        await switches.set(name, enabled, `${who}: ${why}`)
        const reply = (await find(name)) ?? before
        return { reply, change: { before: before.enabled, after: reply.enabled } }
      })
    }),
  ]
}

function auditRoutes({ operator, rooms }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorActions, async (_caller, { query }) => {
      const { limit, before, who, subject, from, to } = query
      if ([from, to].some((day) => day && !isDay(day))) {
        return refuse('validation_error', { message: 'from and to are days, such as 2026-11-18.' })
      }
      const rows = await operator.actions.list({
        limit,
        before: before !== undefined && isUuid(before) ? before : undefined,
        who: who?.trim() || undefined,
        subject: subject?.trim() || undefined,
        from: from ? new Date(from) : undefined,
        to: to ? new Date(dayAfter(to)) : undefined,
      })
      return { actions: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
    }),
    handle(getOperatorFindings, async () => {
      const rows = await rooms.audit.findings(FINDINGS)
      return {
        findings: rows.map(({ foundAt, ...row }) => ({ ...row, found_at: foundAt.toISOString() })),
      }
    }),
    handle(postOperatorAudit, async ({ account: who }) => {
      const deed = { who, what: 'audit', subject: 'books', why: 'asked for at the console' }
      return operator.actions.perform(deed, async () => {
        const reply = { invariant: (await rooms.audit.check())?.invariant ?? null }
        return { reply, change: reply }
      })
    }),
  ]
}

export function reconciliationOf(result: Recorded) {
  return {
    read_at: result.readAt.toISOString(),
    surplus_trx: formatTrx(result.surplus),
    deposit_addresses_trx: formatTrx(result.depositAddresses.onChain),
    hot_trx: formatTrx(result.hot),
    floats_trx: formatTrx(result.floats),
    clients_trx: formatTrx(result.clients),
    escrow_trx: formatTrx(result.escrow),
    not_verified_trx: formatTrx(result.notVerified),
  }
}
