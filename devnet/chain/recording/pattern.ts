import { createHash } from 'node:crypto'

// The recorded answers are patterns: what differs from run to run stands there as a name in angle
// brackets. An answer is compared with its pattern, and every place that does not fit is a difference.

export type Difference = { call: string; path: string; recorded: unknown; answered: unknown }

/** What the names in a pattern stand for in this run. */
export type Names = {
  /** By name: an address in hex and in base58. */
  addresses: Map<string, { hex: string; base58: string }>
  /** By name: bound by the first answer that shows it. */
  txids: Map<string, string>
  /** The block of the transfer that is asked for by number. */
  block: number | undefined
  now: () => number
}

export function differences(call: string, pattern: unknown, answer: unknown, names: Names) {
  const found: Difference[] = []
  // Of these only the shape was recorded, and of a list only its first item.
  const isShape = JSON.stringify(pattern).includes('"<string>"')
  compare(pattern, isShape ? withFirstItems(answer) : answer, '')
  return found

  function compare(recorded: unknown, answered: unknown, path: string): void {
    if (isNested(recorded)) {
      compareText(recorded['<JSON in a string>'], answered, path)
      return
    }
    if (Array.isArray(recorded) && Array.isArray(answered)) {
      const keyed = keysOf(recorded) && keysOf(answered)
      if (keyed) {
        compare(byKey(recorded), byKey(answered), path)
        return
      }
      const length = Math.max(recorded.length, answered.length)
      for (let i = 0; i < length; i++) compare(recorded[i], answered[i], `${path}[${i}]`)
    } else if (isObject(recorded) && isObject(answered)) {
      for (const key of new Set([...Object.keys(recorded), ...Object.keys(answered)])) {
        compare(recorded[key], answered[key], path === '' ? key : `${path}.${key}`)
      }
      compareOrder(Object.keys(recorded), Object.keys(answered), `${path} (order)`)
    } else if (!fits(recorded, answered, names)) found.push({ call, path, recorded, answered })
  }

  function compareOrder(recorded: string[], answered: string[], path: string): void {
    const [one, two] = [common(recorded, answered), common(answered, recorded)]
    if (one !== two) found.push({ call, path, recorded: one, answered: two })
  }

  function compareText(recorded: unknown, answered: unknown, path: string): void {
    const isJson = typeof answered === 'string' && answered.startsWith('{')
    compare(recorded, isJson ? JSON.parse(answered) : answered, `${path} as JSON`)
  }
}

/** The same request for this run: names become what they stand for. */
export function filledIn(request: unknown, names: Names): unknown {
  if (typeof request === 'string') {
    const whole = /^<(n|block|time)(\+(\d+)(h|m)?)?>$/.exec(request)
    if (whole?.[1] === 'time') return names.now() + Number(whole[3] ?? 0) * hourMs
    if (whole?.[1] === 'n') return names.block! + Number(whole[3] ?? 0)
    if (whole) return 1
    return request.replace(/<([^<>]+)>/g, (_, name: string) => textOf(name, names))
  }
  if (Array.isArray(request)) return request.map((item) => filledIn(item, names))
  if (!isObject(request)) return request
  return Object.fromEntries(
    Object.entries(request).map(([key, value]) => [key, filledIn(value, names)]),
  )
}

const hourMs = 3_600_000
const minuteMs = 60_000

function textOf(name: string, names: Names): string {
  const bytes = /^(\d+) bytes$/.exec(name)?.[1]
  if (bytes) return '61'.repeat(Number(bytes))
  if (name.startsWith('txid:')) return names.txids.get(name.slice(5)) ?? `<${name}>`
  if (name === 'n') return String(names.block)
  const [who, form] = name.split(':') as [string, string | undefined]
  const address = names.addresses.get(who)
  if (!address) return `<${name}>`
  return form === '58' ? address.base58 : form === '20' ? address.hex.slice(2) : address.hex
}

function fits(recorded: unknown, answered: unknown, names: Names): boolean {
  if (typeof recorded !== 'string') return Object.is(recorded, answered)
  const kind = /^<(string|number|boolean)>$/.exec(recorded)?.[1]
  if (kind) return typeof answered === kind
  if (recorded === '<block>') return Number.isInteger(answered)
  if (recorded === '<n>') return answered === names.block
  const ahead = /^<time(?:\+(\d+)(h|m))?>$/.exec(recorded)
  if (ahead && typeof answered === 'number') return isTime(answered, ahead, names.now())
  if (typeof answered !== 'string') return false
  const raw = /^<raw of txid:(.+)>$/.exec(recorded)?.[1]
  if (raw) return binds(names, raw, sha256(answered))
  if (!recorded.startsWith('hex of: ')) return fitsText(recorded, answered, names)
  const text = Buffer.from(answered, 'hex').toString('utf8')
  return isHex(answered) && fitsText(recorded.slice('hex of: '.length), text, names)
}

/** Times of the past and of the next minutes are all alike; those further ahead are rounded. */
function isTime(ms: number, [, amount, unit]: RegExpExecArray, now: number): boolean {
  const ahead = ms - now
  if (amount === undefined) return Math.abs(ahead) < 60 * 24 * hourMs && ahead < 5 * minuteMs
  const step = unit === 'h' ? hourMs : 5 * minuteMs
  const wanted = Number(amount) * (unit === 'h' ? hourMs : minuteMs)
  return Math.abs(ahead - wanted) <= step
}

const shapes: Record<string, string> = {
  'block id': '[0-9a-f]{64}',
  root: '[0-9a-f]{64}',
  signature: '[0-9a-fA-F]{130}',
  ref_block_bytes: '[0-9a-f]{4}',
  ref_block_hash: '[0-9a-f]{16}',
  time: '\\d{13}',
  ms: '\\d+ms',
  s: '[\\d.]+',
  'some address': 'T\\w{33}',
  code: '[0-9a-f]+',
  deployer: '41[0-9a-f]{40}',
  'new contract': '41[0-9a-f]{40}',
}

function fitsText(recorded: string, answered: string, names: Names): boolean {
  const shown: string[] = []
  const source = recorded.split(/(<[^<>]+>)/).map((part, index) => {
    if (index % 2 === 0) return escaped(part)
    const name = part.slice(1, -1)
    if (name.startsWith('txid:')) {
      shown.push(name.slice(5))
      return '([0-9a-f]{64})'
    }
    const length = /^signature of (\d+) bytes$/.exec(name)?.[1]
    if (length) return `[0-9a-fA-F]{${Number(length) * 2}}`
    return shapes[name] ?? escaped(textOf(name, names))
  })
  const match = new RegExp(`^${source.join('')}$`).exec(answered)
  return match !== null && shown.every((name, index) => binds(names, name, match[index + 1]!))
}

/** The first answer that shows an id gives it its name; from then on it has to be the same. */
function binds({ txids }: Names, name: string, id: string): boolean {
  const known = txids.get(name)
  if (known === undefined) txids.set(name, id)
  return known === undefined || known === id
}

function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')
}

function isHex(text: string): boolean {
  return /^([0-9a-f]{2})*$/.test(text)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

type Json = Record<string, unknown>

function common(keys: string[], others: string[]): string {
  return keys.filter((key) => others.includes(key)).join()
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNested(value: unknown): value is { '<JSON in a string>': unknown } {
  return isObject(value) && '<JSON in a string>' in value
}

function withFirstItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(withFirstItems)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withFirstItems(item)]))
}

/** A list of pairs, such as the chain parameters: its order does not count. */
function keysOf(list: unknown[]): boolean {
  return list.length > 0 && list.every((item) => isObject(item) && typeof item.key === 'string')
}

function byKey(list: unknown[]): Json {
  return Object.fromEntries((list as Json[]).map(({ key, ...rest }) => [String(key), rest]))
}
