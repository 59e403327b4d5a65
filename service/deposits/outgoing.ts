import type { TransactionInfo } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Signing } from '../signing/index.ts'

/** A pending transaction of ours. */
export type Outgoing = { txid: string; signingRequest: string }

/** Its state. `solid` and `dead` are final. */
export type Fate =
  | { state: 'waiting' }
  | { state: 'refused'; reason: string }
  /** What the node last said of the bytes; it may say why no block took them. */
  | { state: 'dead'; answer: string | null }
  | { state: 'solid'; fee: bigint; receipt: TransactionInfo }

/**
 * A transaction ends in three ways only: the signer refused it, its bytes expired in no solid block, or a
 * solid block holds it. A node's answer to a broadcast decides nothing.
 */
export function createOutgoing({ chain, signing }: { chain: Chain; signing: Signing }) {
  return {
    /** A fate is a function, because it may ask the node about this one. */
    async fatesOf<T extends Outgoing>(transfers: T[]): Promise<{ of: T; fate(): Promise<Fate> }[]> {
      const progress = await chain.progress()
      const answers = await signing.answers(transfers.map((one) => one.signingRequest))
      const refusals = new Map(
        answers.flatMap(({ id, state, reason }) =>
          state === 'refused' ? [[id, reason ?? ''] as const] : [],
        ),
      )
      const states = await chain.broadcasts.states(transfers.map((one) => one.txid))
      const broadcasts = new Map(states.map((state) => [state.txid, state]))
      return transfers.map((of) => ({
        of,
        async fate() {
          const reason = refusals.get(of.signingRequest)
          if (reason !== undefined) return { state: 'refused', reason }
          const sent = broadcasts.get(of.txid)
          if (sent?.state === 'expired') return { state: 'dead', answer: sent.answer }
          const solid = sent?.blockNumber && progress && sent.blockNumber <= progress.solidNumber
          return solid ? receiptOf(of.txid) : { state: 'waiting' }
        },
      }))
    },
  }

  /** A node that lags has no solid receipt yet; the next round asks again. */
  async function receiptOf(txid: string): Promise<Fate> {
    const info = await chain.node.getSolidTransactionInfo(txid)
    return info ? { state: 'solid', fee: info.fee, receipt: info } : { state: 'waiting' }
  }
}
