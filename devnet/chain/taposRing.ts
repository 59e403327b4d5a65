/** Bytes 8 to 16 of the ids of the last 65,536 blocks, by the low 16 bits of their number. */
export class TaposRing {
  readonly #hashes = Buffer.alloc(slots * hashBytes)
  #head = -1

  put(number: number, blockId: string): void {
    this.#hashes.write(blockId.slice(16, 32), (number % slots) * hashBytes, 'hex')
    this.#head = number
  }

  /** After a block was taken back, until its number is filled again. */
  truncate(head: number): void {
    this.#head = head
  }

  holds(refBlockBytes: string, refBlockHash: string): boolean {
    if (refBlockBytes.length !== 4 || refBlockHash.length !== 16) return false
    const low = Number.parseInt(refBlockBytes, 16)
    // The one number of the last 65,536 that ends in these bits.
    const number = this.#head - ((this.#head - low) & (slots - 1))
    if (number < 0) return false
    const at = low * hashBytes
    return this.#hashes.toString('hex', at, at + hashBytes) === refBlockHash
  }
}

const slots = 65_536
const hashBytes = 8
