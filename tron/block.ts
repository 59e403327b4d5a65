import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { encodeHex } from './valueCodec.ts'
import { EncodeError, WireWriter } from './wire.ts'

/** block_header.raw_data with java-tron's JSON names; hashes and the address are hex. */
export type BlockHeaderRaw = {
  number: number
  timestamp: number
  txTrieRoot: string
  parentHash: string
  witness_address: string
  version: number
  accountStateRoot?: string
}

/** Field numbers of BlockHeader.raw (Tron.proto:503-518). */
export function encodeHeaderRaw(header: BlockHeaderRaw): Uint8Array {
  const writer = new WireWriter()
  const integer = (tag: number, value: number) => {
    if (!Number.isSafeInteger(value)) throw new EncodeError(`not an integer: ${value}`)
    if (value !== 0) writer.varint(tag, BigInt(value))
  }
  const bytes = (tag: number, hex: string) => {
    if (hex !== '') writer.bytes(tag, encodeHex('block header', hex))
  }
  integer(1, header.timestamp)
  bytes(2, header.txTrieRoot)
  bytes(3, header.parentHash)
  integer(7, header.number)
  bytes(9, header.witness_address)
  integer(10, header.version)
  bytes(11, header.accountStateRoot ?? '')
  return writer.finish()
}

/** What the witness signs: sha256 of the header's raw bytes. */
export function headerDigest(headerRawBytes: Uint8Array): string {
  return bytesToHex(sha256(headerRawBytes))
}

/** The digest with its first 8 bytes replaced by the number, so that ids sort by height. */
export function blockId(headerRawBytes: Uint8Array, number: number): string {
  return number.toString(16).padStart(16, '0') + headerDigest(headerRawBytes).slice(16)
}

/** txTrieRoot over whole transactions (signatures and ret included); 32 zero bytes for none. */
export function transactionRoot(transactionBytes: readonly Uint8Array[]): string {
  let level: Uint8Array[] = transactionBytes.map((bytes) => sha256(bytes))
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]]
      // An odd last leaf is carried up as it is, not paired with itself.
      above.push(right ? sha256(concatBytes(left, right)) : left)
    }
    level = above
  }
  return level[0] ? bytesToHex(level[0]) : '00'.repeat(32)
}
