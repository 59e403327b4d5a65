import { createHash } from 'node:crypto'
import {
  blockId,
  decodeTransaction,
  encodeHeaderRaw,
  encodeRaw,
  encodeTransaction,
  type HexAddress,
  headerDigest,
  sign,
  transactionRoot,
  txId,
} from '@ergon/tron'
import type { Block, InfoJson } from './blockStore.ts'
import type { EnergyChange } from './contracts/energyModel.ts'
import type { Executed, Incoming } from './execute.ts'
import { type FundedKey, fundedKeys, fundedSun } from './networkKeys.ts'

/** Nile's in 2026; clients treat it as opaque. */
const headerVersion = 34

/** The block with everything a node would check: root, parent, id and the witness's signature. */
export function assembleBlock(
  executed: Executed[],
  { parent, timestamp, witness, changes }: Assembly,
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
    ...(changes.length > 0 ? { changes } : {}),
  }
}

type Assembly = {
  parent: Block
  timestamp: number
  witness: FundedKey
  changes: EnergyChange[]
}

/**
 * Block 0: no number, no time and no signature, a sentence where the witness stands and transfers out
 * of nothing, as on mainnet. Its parent is a hash of its time, so that every chain has its own id.
 */
export function genesisBlock(timestamp: number): Block {
  const motto = Buffer.from('Ergon devnet: a chain that forgets on request').toString('hex')
  const rawBytes = fundedKeys.map(({ address }) => genesisTransfer(address))
  const transactions = rawBytes.map((bytes) =>
    encodeTransaction({ rawBytes: bytes, signatures: [] }),
  )
  const header = {
    number: 0,
    timestamp: 0,
    txTrieRoot: transactionRoot(transactions),
    parentHash: createHash('sha256').update(String(timestamp)).digest('hex'),
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
    txids: rawBytes.map(txId),
    transactions,
    infos: [],
  }
}

function genesisTransfer(to_address: HexAddress): Uint8Array {
  // The text of an address of zeros, which is what java-tron writes there.
  const owner_address = Buffer.from('0x000000000000000000000').toString('hex')
  return encodeRaw({
    contract: {
      type: 'TransferContract',
      value: { owner_address, to_address, amount: fundedSun },
    },
    refBlockBytes: '',
    refBlockHash: '',
    expiration: 0,
    timestamp: 0,
    feeLimit: 0n,
    data: '',
  })
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
