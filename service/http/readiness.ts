import type { FastifyInstance } from 'fastify'
import type { Log } from '../kernel/index.ts'

/** A condition for taking traffic: its name, and a sentence when it fails. */
export type ReadinessCheck = { name: string; trouble(): Promise<string | undefined> }

type Troubles = Record<string, string>

/** Runs all checks. A trouble is logged when it begins, and once more when all are over. */
export type Readiness = { troubles(): Promise<Troubles> }

export function createReadiness(checks: readonly ReadinessCheck[], log: Log): Readiness {
  let before: Troubles = {}
  return {
    async troubles() {
      const troubles: Troubles = {}
      for (const { name, trouble } of checks) {
        const sentence = await trouble().catch((error: Error) => error.message)
        if (sentence) troubles[name] = sentence
      }
      for (const [name, reason] of Object.entries(troubles)) {
        if (!Object.hasOwn(before, name)) log.warn('not_ready', { name, reason })
      }
      const isOver = Object.keys(troubles).length === 0 && Object.keys(before).length > 0
      if (isOver) log.warn('ready_again')
      before = troubles
      return troubles
    },
  }
}

/**
 * The public answer is only whether this node takes traffic, because the reasons name databases and
 * nodes. The operator's port shows the reasons.
 */
export function mountReadiness(
  server: FastifyInstance,
  readiness: Readiness,
  { tellsTroubles }: { tellsTroubles: boolean },
) {
  server.get('/readyz', async (_request, reply) => {
    const troubles = await readiness.troubles()
    const isReady = Object.keys(troubles).length === 0
    const answer = { status: isReady ? 'ready' : 'not ready', ...(tellsTroubles && { troubles }) }
    return reply.code(isReady ? 200 : 503).send(answer)
  })
}
