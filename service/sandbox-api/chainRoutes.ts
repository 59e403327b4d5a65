import {
  type HandledRoute,
  handle,
  postSandboxEnergy,
  postSandboxFaucet,
  postSandboxMine,
  postSandboxNode,
  postSandboxReorg,
  postSandboxTransfer,
  postSandboxUsdt,
} from '@ergon/contract'
import { sun } from '../kernel/index.ts'
import { type DevnetControl, orRefusal } from './devnet.ts'

/** Controls the devnet; its refusals become a 400 with its message. */
export function chainRoutes({ devnet }: { devnet: DevnetControl }): HandledRoute[] {
  return [
    handle(postSandboxTransfer, (_caller, { body: { from, to, amount_sun } }) =>
      orRefusal(async () => ({ txid: await devnet.transfer(from, to, sun(BigInt(amount_sun))) })),
    ),
    handle(postSandboxFaucet, (_caller, { body: { to, amount_sun } }) =>
      orRefusal(async () => {
        const { funded_keys } = await devnet.keys()
        const from = funded_keys.at(-1)!.address
        return { txid: await devnet.transfer(from, to, sun(BigInt(amount_sun))) }
      }),
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
    handle(postSandboxEnergy, (_caller, { body }) => orRefusal(() => devnet.setEnergy(body))),
    handle(postSandboxNode, (_caller, { body }) => orRefusal(() => devnet.setFaults(body))),
  ]
}
