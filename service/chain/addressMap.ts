import { type HexAddress, isHexAddress } from '@ergon/tron'

/** Purposes of watched addresses, by address. */
export type AddressMap = {
  get(address: HexAddress): string | undefined
  has(address: HexAddress): boolean
  set(address: HexAddress, purpose: string): void
  readonly size: number
}

/** An address is 0x41 and twenty bytes: five words. */
const WORDS = 5
const LAST_WORD_AT = 34
const FULL = 0.7
const PURPOSES_MAX = 255

/**
 * A hash table in two typed arrays. Every full garbage collection walks a Map of a million strings
 * (tens of milliseconds); typed arrays are not walked and take half the memory. Entries are never
 * removed: an address of ours stays ours.
 */
export function createAddressMap(slots = 1_024): AddressMap {
  let mask = slots - 1
  let words = new Uint32Array(slots * WORDS)
  /** One more than the place of its purpose; zero is an empty slot. */
  let owned = new Uint8Array(slots)
  const purposes: string[] = []
  let size = 0

  /** The slot of an address, or the empty one where it belongs. */
  function find(address: HexAddress): number {
    const last = wordAt(address, WORDS - 1)
    for (let slot = spread(last) & mask; ; slot = (slot + 1) & mask) {
      if (owned[slot] === 0) return slot
      if (words[slot * WORDS + WORDS - 1] === last && holds(slot, address)) return slot
    }
  }

  function holds(slot: number, address: HexAddress): boolean {
    for (let word = 0; word < WORDS - 1; word++) {
      if (words[slot * WORDS + word] !== wordAt(address, word)) return false
    }
    return true
  }

  function grow() {
    const [oldWords, oldOwned] = [words, owned]
    const wider = oldOwned.length * 2
    mask = wider - 1
    words = new Uint32Array(wider * WORDS)
    owned = new Uint8Array(wider)
    for (const [old, owner] of oldOwned.entries()) {
      if (owner === 0) continue
      const row = oldWords.subarray(old * WORDS, (old + 1) * WORDS)
      let slot = spread(row[WORDS - 1]!) & mask
      while (owned[slot] !== 0) slot = (slot + 1) & mask
      words.set(row, slot * WORDS)
      owned[slot] = owner
    }
  }

  function ownerOf(purpose: string): number {
    const known = purposes.indexOf(purpose)
    if (known >= 0) return known + 1
    if (purposes.length >= PURPOSES_MAX) throw new Error('too many purposes of watched addresses')
    return purposes.push(purpose)
  }

  // Words are parsed leniently, so invalid addresses are rejected first.
  const ofOurs = (address: HexAddress) => (isHexAddress(address) ? owned[find(address)]! : 0)

  return {
    get: (address) => purposes[ofOurs(address) - 1],
    has: (address) => ofOurs(address) > 0,
    set(address, purpose) {
      if (!isHexAddress(address)) throw new Error(`${address} is no address`)
      // One slot always stays empty: it ends the search for an unknown address.
      if (size + 1 > owned.length * FULL) grow()
      const slot = find(address)
      if (owned[slot] === 0) {
        for (let word = 0; word < WORDS; word++) words[slot * WORDS + word] = wordAt(address, word)
        size += 1
      }
      owned[slot] = ownerOf(purpose)
    },
    get size() {
      return size
    },
  }
}

function wordAt(address: HexAddress, word: number): number {
  const from = LAST_WORD_AT - (WORDS - 1 - word) * 8
  return Number.parseInt(address.slice(from, from + 8), 16)
}

/** Addresses end in a hash already; this only keeps neighbours of a made-up sequence apart. */
function spread(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> 11
}
