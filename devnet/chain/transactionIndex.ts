/**
 * Where each transaction is: 16 bytes a transaction instead of the 150 or so of a Map with hex
 * keys. Only the first 8 bytes of the id are kept, and entries of blocks that a reorganisation took
 * away stay; the caller compares the whole id with the block it finds there.
 */
export class TransactionIndex {
  #slots = 1 << 12
  #count = 0
  // high and low half of the key, block number, index in the block plus one (0 = empty slot)
  #entries = new Uint32Array(this.#slots * 4)

  add(txid: string, block: number, index: number): void {
    if (this.#count * 2 >= this.#slots) this.#grow()
    this.#put(half(txid, 0), half(txid, 8), block, index + 1)
  }

  /** Every place where a transaction with this beginning was put, the latest last. */
  find(txid: string): { block: number; index: number }[] {
    const [high, low] = [half(txid, 0), half(txid, 8)]
    const found: { block: number; index: number }[] = []
    for (let slot = low & (this.#slots - 1); ; slot = (slot + 1) & (this.#slots - 1)) {
      const at = slot * 4
      const place = this.#entries[at + 3]!
      if (place === 0) return found
      if (this.#entries[at] === high && this.#entries[at + 1] === low) {
        found.push({ block: this.#entries[at + 2]!, index: place - 1 })
      }
    }
  }

  #put(high: number, low: number, block: number, place: number): void {
    let slot = low & (this.#slots - 1)
    while (this.#entries[slot * 4 + 3] !== 0) slot = (slot + 1) & (this.#slots - 1)
    this.#entries.set([high, low, block, place], slot * 4)
    this.#count++
  }

  #grow(): void {
    const old = this.#entries
    this.#slots *= 2
    this.#count = 0
    this.#entries = new Uint32Array(this.#slots * 4)
    for (let at = 0; at < old.length; at += 4) {
      if (old[at + 3] !== 0) this.#put(old[at]!, old[at + 1]!, old[at + 2]!, old[at + 3]!)
    }
  }
}

function half(txid: string, at: number): number {
  return Number.parseInt(txid.slice(at, at + 8), 16)
}
