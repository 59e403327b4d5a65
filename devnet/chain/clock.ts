/** The chain's own time: the wall clock and what the sandbox has added to it. */
export class ChainClock {
  readonly #wall: () => number
  readonly #keep: (offsetMs: number) => void
  #offsetMs: number

  constructor(wall: () => number, offsetMs = 0, keep: (offsetMs: number) => void = () => {}) {
    this.#wall = wall
    this.#offsetMs = offsetMs
    this.#keep = keep
  }

  now(): number {
    return this.#wall() + this.#offsetMs
  }

  /** Forward only: the chain's past cannot be made younger. */
  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError('a clock only moves forward')
    this.#offsetMs += ms
    this.#keep(this.#offsetMs)
  }
}
