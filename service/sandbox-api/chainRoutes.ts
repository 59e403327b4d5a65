import {
  type HandledRoute,
  handle,
  postSandboxMine,
  postSandboxReorg,
  postSandboxTransfer,
  postSandboxUsdt,
  type Refusal,
  refuse,
} from '@ergon/contract'
import { sun } from '../kernel/index.ts'
import { type DevnetControl, DevnetRefusal } from './devnet.ts'

/** Drives the devnet; what it refuses comes back as a 400 in its own words. */
export function chainRoutes({ devnet }: { devnet: DevnetControl }): HandledRoute[] {
  return [
    handle(postSandboxTransfer, (_caller, { body: { from, to, amount_sun } }) =>
      orRefusal(async () => ({ txid: await devnet.transfer(from, to, sun(BigInt(amount_sun))) })),
    ),
    handle(postSandboxUsdt, (_caller, { body: { from, to, amount } }) =>
      orRefusal(async () => ({ txid: await devnet.usdt(from, to, BigInt(amount)) })),
    ),
    handle(postSandboxMine, (_caller, { body }) =>
      orRefusal(async () => ({ head: await devnet.mine(body.blocks) })),
    ),
    handle(postSandboxReorg, (_caller, { body }) =>
      orRefusal(async () => ({ head: await devnet.reorg(body.depth, body.drop_txids ?? []) })),
    ),
  ]
}

async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DevnetRefusal)) throw error
    return refuse('validation_error', { message: error.message })
  }
}
