import type { FastifyInstance } from 'fastify'
import { filesOf, statusPage } from '../../web/index.ts'
import type { Guard } from '../http/index.ts'
import { mountStatusPage } from '../pages/index.ts'
import type { Told } from '../status/index.ts'
import type { Rooms } from './rooms.ts'

/** Mounts the status page, rendered again only when it has something else to say. */
export function mountStatus(
  server: FastifyInstance,
  { publicStatus }: Rooms,
  { guard }: { guard: Guard },
) {
  let kept: { of: Told; html: string } | undefined
  mountStatusPage(server, {
    guard,
    files: filesOf('status'),
    async render(files) {
      const told = await publicStatus.now()
      if (kept?.of !== told) kept = { of: told, html: statusPage(told.shown, files) }
      return kept.html
    },
  })
}
