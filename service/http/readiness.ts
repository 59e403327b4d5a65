import type { FastifyInstance } from 'fastify'
import type { Log } from '../kernel/index.ts'
import { refuseOtherMethods } from './mount.ts'

/** What must be true for this node to take traffic: a name, and a sentence when it is not. */
export type ReadinessCheck = { name: string; trouble(): Promise<string | undefined> }

type Troubles = Record<string, string>

/** Looks at everything this node needs. A trouble is logged when it begins, and when all are over. */
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
 * Strangers are told whether this node takes traffic, and nothing else: what is wrong with it names
 * databases and nodes. The operator's port tells that too.
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
  refuseOtherMethods(server, '/readyz', ['GET'])
}
