import {
  getSandboxSink,
  type HandledRoute,
  handle,
  postSandboxSink,
  postSandboxSinkAnswer,
  refuse,
} from '@ergon/contract'
import { isUuid } from '../kernel/index.ts'
import type { DevnetControl } from './devnet.ts'

const noSink = refuse('not_found', { message: 'No such sink; make one by POST /webhook-sink.' })

/** Receivers of webhooks that clients can look into. */
export function sinkRoutes({ devnet }: { devnet: DevnetControl }): HandledRoute[] {
  return [
    handle(postSandboxSink, () => devnet.createSink()),
    handle(getSandboxSink, async (_caller, { params: { id } }) =>
      isUuid(id) ? ((await devnet.readSink(id)) ?? noSink) : noSink,
    ),
    handle(postSandboxSinkAnswer, async (_caller, { params: { id }, body: { answer } }) =>
      isUuid(id) ? ((await devnet.setSink(id, answer)) ?? noSink) : noSink,
    ),
  ]
}
