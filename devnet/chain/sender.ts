import {
  type BuildOptions,
  buildTransaction,
  type Contract,
  sign,
  uniqueTimestamp,
} from '@ergon/tron'
import type { Chain } from './chain.ts'
import type { Incoming } from './execute.ts'

const timestamps = uniqueTimestamp()

export type SendOptions = Partial<Omit<BuildOptions, 'headBlock'>>

/** A transaction of the contract's owner, built on the head block and signed with the keys. */
export function signedBy(
  privateKeys: string | string[],
  contract: Contract,
  { chain, ...options }: SendOptions & { chain: Chain },
): Incoming {
  const timestamp = timestamps.next(chain.head.timestamp)
  const built = buildTransaction(contract, { headBlock: chain.head, timestamp, ...options })
  const signatures = [privateKeys].flat().map((key) => sign(built.txId, key))
  return { txid: built.txId, rawBytes: built.rawBytes, raw: built.raw, signatures }
}

/** Signs, broadcasts, and answers the id; throws the Refusal when the chain does not take it. */
export function sendAs(
  chain: Chain,
  privateKey: string,
  contract: Contract,
  options: SendOptions = {},
): string {
  const transaction = signedBy(privateKey, contract, { chain, ...options })
  chain.broadcast(transaction)
  return transaction.txid
}
