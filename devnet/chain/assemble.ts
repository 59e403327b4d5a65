import {
  blockId,
  decodeTransaction,
  encodeHeaderRaw,
  encodeTransaction,
  headerDigest,
  sign,
  transactionRoot,
} from '@ergon/tron'
import type { Block, InfoJson } from './blockStore.ts'
import type { Executed, Incoming } from './execute.ts'
import type { FundedKey } from './networkKeys.ts'

/** Nile's in 2026; clients treat it as opaque. */
const headerVersion = 34

/** The block with everything a node would check: root, parent, id and the witness's signature. */
export function assembleBlock(
  executed: Executed[],
  { parent, timestamp, witness }: { parent: Block; timestamp: number; witness: FundedKey },
): Block {
  const number = parent.number + 1
  const transactions = executed.map(({ transaction, contractRet }) =>
    encodeTransaction({ ...transaction, contractRet }),
  )
  const header = {
    number,
    timestamp,
    txTrieRoot: transactionRoot(transactions),
    parentHash: parent.id,
    witness_address: witness.address,
    version: headerVersion,
  }
  const bytes = encodeHeaderRaw(header)
  return {
    number,
    id: blockId(bytes, number),
    timestamp,
    header,
    witnessSignature: blockSignature(headerDigest(bytes), witness.privateKey),
    txids: executed.map(({ transaction }) => transaction.txid),
    transactions,
    infos: executed.map(({ info }) => finishInfo(info, number, timestamp)),
  }
}

/** Block 0: no number, no signature, and a sentence where the witness stands, as on mainnet. */
export function genesisBlock(timestamp: number): Block {
  const motto = Buffer.from('Ergon devnet: a chain that forgets on request').toString('hex')
  const header = {
    number: 0,
    timestamp,
    txTrieRoot: '00'.repeat(32),
    parentHash: '00'.repeat(32),
    witness_address: motto,
    version: 0,
  }
  const id = blockId(encodeHeaderRaw(header), 0)
  return {
    number: 0,
    id,
    timestamp,
    header,
    witnessSignature: '',
    txids: [],
    transactions: [],
    infos: [],
  }
}

export function decodeTransactions(block: Block): (Incoming & { contractRet?: string })[] {
  return block.transactions.map((bytes, index) => ({
    txid: block.txids[index]!,
    ...decodeTransaction(bytes),
  }))
}

// Blocks carry the recovery bit as 0 or 1, transactions of most wallets as 27 or 28.
function blockSignature(digest: string, privateKey: string): string {
  const signature = sign(digest, privateKey)
  const v = Number.parseInt(signature.slice(128), 16) - 27
  return signature.slice(0, 128) + v.toString(16).padStart(2, '0')
}

/** The TransactionInfo with the fields of the block it is in. */
export function finishInfo(info: Executed['info'], number: number, timestamp: number): InfoJson {
  const { id, fee, rest } = info
  return {
    id,
    ...(fee === undefined ? {} : { fee }),
    blockNumber: number,
    blockTimeStamp: timestamp,
    ...rest,
  }
}
