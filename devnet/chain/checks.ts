import type { Incoming } from './execute.ts'
import { limits, slotMs } from './parameters.ts'
import { Refusal } from './refusal.ts'
import { checkSignatures, type SignerOf } from './signatures.ts'
import type { ReadTables } from './state.ts'
import type { TaposRing } from './taposRing.ts'

export type BroadcastGround = {
  tables: ReadTables
  headTimestamp: number
  tapos: TaposRing
  isKnown: (txid: string) => boolean
  signerOf: SignerOf
}

/**
 * What a node looks at before it runs a transaction. Manager.pushTransaction checks the signatures
 * first; inside a block they come after the others.
 */
export function checkBroadcast(transaction: Incoming, ground: BroadcastGround): void {
  const { raw, rawBytes, txid } = transaction
  checkSignatures(ground.tables, transaction, ground.signerOf)
  if (!ground.tapos.holds(raw.refBlockBytes, raw.refBlockHash)) {
    throw new Refusal('TAPOS_ERROR', 'Tapos check error.')
  }
  if (rawBytes.length > limits.transactionBytesMax) {
    throw new Refusal('TOO_BIG_TRANSACTION_ERROR', 'Transaction size is too big.')
  }
  const { expiration } = raw
  const isCurrent =
    expiration >= ground.headTimestamp + slotMs &&
    expiration <= ground.headTimestamp + limits.expirationMsMax
  if (!isCurrent) throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired')
  if (ground.isKnown(txid)) throw new Refusal('DUP_TRANSACTION_ERROR', 'Dup transaction.')
}
