import type { Chain } from '../chain/index.ts'
import type { Signing } from '../signing/index.ts'

/** A transfer of our own that waits for its end. */
export type Outgoing = { txid: string; signingRequest: string }

/** What became of it. `solid` and `dead` are final: neither can change any more. */
export type Fate =
  | { state: 'waiting' }
  | { state: 'refused'; reason: string }
  | { state: 'dead' }
  | { state: 'solid'; fee: bigint }

/**
 * Only three things end a transfer: the signer refused it, its bytes can never be mined any more, or
 * a solid block holds it. A node's opinion about a broadcast is none of them.
 */
export function createOutgoing({ chain, signing }: { chain: Chain; signing: Signing }) {
  return {
    async fatesOf<T extends Outgoing>(transfers: T[]): Promise<{ of: T; fate: Fate }[]> {
      const progress = await chain.progress()
      const answers = await signing.answers(transfers.map((one) => one.signingRequest))
      const refusals = new Map(
        answers.flatMap(({ id, state, reason }) =>
          state === 'refused' ? [[id, reason ?? ''] as const] : [],
        ),
      )
      const states = await chain.broadcasts.states(transfers.map((one) => one.txid))
      const broadcasts = new Map(states.map((state) => [state.txid, state]))
      return Promise.all(
        transfers.map(async (of) => {
          const reason = refusals.get(of.signingRequest)
          if (reason !== undefined) return { of, fate: { state: 'refused', reason } as const }
          const sent = broadcasts.get(of.txid)
          if (sent?.state === 'expired') return { of, fate: { state: 'dead' } as const }
          const solid = sent?.blockNumber && progress && sent.blockNumber <= progress.solidNumber
          return { of, fate: solid ? await receiptOf(of.txid) : ({ state: 'waiting' } as const) }
        }),
      )
    },
  }

  /** A node that is behind us has no solid receipt yet; asked again, it or another one will. */
  async function receiptOf(txid: string): Promise<Fate> {
    const info = await chain.node.getSolidTransactionInfo(txid)
    return info ? { state: 'solid', fee: info.fee } : { state: 'waiting' }
  }
}
