/** Trouble that a real node makes, asked for by a test. Unset fields do nothing. */
export type FaultSettings = {
  /** Answers as if the head were the newest block of at least this age. */
  stale_head_ms?: number
  delay_ms?: number
  /** Every call is answered with this status and no JSON. */
  http_status?: number
  /** gettransactioninfobyblocknum answers [], as a node behind a balancer that lags does. */
  empty_infos?: boolean
  /** Constant calls and estimates run out of time, as on a node just started or busy. */
  constant_timeout?: boolean
  /** The node is this many blocks behind and takes no transactions. Below the solid block only
   * its blocks are old: no older state is kept. */
  syncing_blocks?: number
  /** Broadcasts are refused with SERVER_BUSY. */
  busy?: boolean
  /** The fault ends after this many calls that it touched; without it, when it is set anew. */
  times?: number
}

export class FaultError extends Error {
  override name = 'FaultError'
}

export class Faults {
  #settings: FaultSettings = {}
  #left = Number.POSITIVE_INFINITY

  get settings(): FaultSettings {
    return this.#left > 0 ? this.#settings : {}
  }

  /** Replaces what was set before; an empty object ends all trouble. */
  set(settings: FaultSettings): void {
    for (const name of numbers) {
      const value = settings[name]
      if (value !== undefined && !(Number.isInteger(value) && value >= 0)) {
        throw new FaultError(`${name} must be a whole number of 0 or more`)
      }
    }
    const { http_status: status } = settings
    if (status !== undefined && (status < 200 || status > 599)) {
      throw new FaultError('http_status must be 200 to 599')
    }
    if ((settings.delay_ms ?? 0) > delayMsMax) {
      throw new FaultError(`delay_ms must not exceed ${delayMsMax}`)
    }
    this.#settings = settings
    this.#left = settings.times ?? Number.POSITIVE_INFINITY
  }

  /** The faults of one call to this endpoint, which uses up one of `times`. */
  take(path: string): FaultSettings {
    const { stale_head_ms, delay_ms, http_status, syncing_blocks } = this.settings
    const { empty_infos, constant_timeout, busy } = this.settings
    const touches =
      stale_head_ms !== undefined ||
      delay_ms !== undefined ||
      http_status !== undefined ||
      syncing_blocks !== undefined ||
      (empty_infos === true && path.startsWith('gettransactioninfoby')) ||
      (constant_timeout === true && constantCalls.has(path)) ||
      (busy === true && path.startsWith('broadcast'))
    if (!touches) return {}
    const taken = this.settings
    this.#left--
    return taken
  }
}

const delayMsMax = 600_000
const numbers = ['stale_head_ms', 'delay_ms', 'http_status', 'syncing_blocks', 'times'] as const
const constantCalls = new Set(['triggerconstantcontract', 'estimateenergy'])
