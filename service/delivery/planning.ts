import type { Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import { explain } from './choice.ts'
import { type PlannedPart, planParts } from './plan.ts'
import { addChoice, insertParts, insertRequests } from './planning.sql.ts'
import type { DeliveryRequest } from './request.ts'

export type Planning = ReturnType<typeof createPlanning>

/** Plans requests into parts over the current offers and stores the reasons. */
export function createPlanning(deps: { runtime: Runtime; providers: Providers }) {
  const { runtime, providers } = deps

  function choose(energy: bigint, tried: readonly string[] = []) {
    const offers = providers.stock()
    const able = offers.filter(({ provider }) => !tried.includes(provider))
    const parts = planParts(able, energy)
    const wanted = { energy, at: runtime.clock.now(), tried }
    const choice = explain({ offers, absent: providers.absent() }, wanted, parts)
    for (const part of parts ?? []) providers.take(part.provider, part.energy)
    return { parts, choice }
  }

  async function write(tx: Tx, parts: readonly (PlannedPart & { request: string })[]) {
    await tx.query(insertParts, [
      parts.map(() => runtime.ids.next()),
      parts.map((part) => part.request),
      parts.map((part) => part.provider),
      parts.map((part) => part.energy),
      parts.map((part) => part.unitPrice),
      parts.map((part) => part.cost),
    ])
  }

  return {
    partsFor: (energy: bigint) => planParts(providers.offers(), energy),

    /** Opens requests with their parts, in the caller's transaction. */
    async open(tx: Tx, requests: readonly DeliveryRequest[]): Promise<void> {
      const chosen = requests.map((request) => ({ request, ...choose(request.energy) }))
      const column = <T>(pick: (request: DeliveryRequest) => T) => requests.map(pick)
      await tx.query(insertRequests, [
        column((r) => r.id),
        column((r) => r.receiver),
        column((r) => r.energy),
        column((r) => r.durationSeconds),
        column((r) => r.deadlineAt),
        column((r) => r.trace),
        chosen.map(({ choice }) => JSON.stringify(choice)),
        runtime.clock.now(),
      ])
      const parts = chosen.flatMap(({ request, parts }) =>
        (parts ?? nobody(request.energy)).map((part) => ({ request: request.id, ...part })),
      )
      await write(tx, parts)
    },

    /** Plans the missing amount at providers that have not failed this request; false when none is left. */
    async planAgain(tx: Tx, request: string, energy: bigint, tried: readonly string[]) {
      const { parts, choice } = choose(energy, tried)
      await tx.query(addChoice, [request, JSON.stringify([choice])])
      if (!parts) return false
      await write(
        tx,
        parts.map((part) => ({ request, ...part })),
      )
      return true
    },
  }
}

/** Without an offer the part goes to own stake, which refuses it, and the order is refunded. */
function nobody(energy: bigint): PlannedPart[] {
  return [{ provider: 'own_stake', energy, unitPrice: 0n, cost: 0n }]
}
