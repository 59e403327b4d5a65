import { type HexAddress, parseAddress, parseJson } from '@ergon/tron'
import type { Chain } from '../chain.ts'
import type { FaultSettings } from '../faults.ts'
import type { View } from '../state.ts'
import { type Place, placesOf } from './places.ts'

/** What a servlet throws: printed as {"Error":"class <java class> : <text>"} with status 200. */
export class NodeError extends Error {
  override name = 'NodeError'
  readonly javaClass: string

  constructor(javaClass: string, message: string) {
    super(message)
    this.javaClass = javaClass
  }

  get text(): string {
    return `class ${this.javaClass} : ${this.message}`
  }
}

export const java = {
  json: 'com.alibaba.fastjson.JSONException',
  format: 'org.tron.core.services.http.JsonFormat$ParseException',
  hex: 'org.bouncycastle.util.encoders.DecoderException',
  number: 'java.lang.NumberFormatException',
  argument: 'java.lang.IllegalArgumentException',
  missing: 'org.tron.core.exception.ItemNotFoundException',
  null: 'java.lang.NullPointerException',
  parameter: 'java.security.InvalidParameterException',
  validate: 'org.tron.core.exception.ContractValidateException',
  time: 'org.tron.core.vm.program.Program$OutOfTimeException',
  protobuf: 'com.google.protobuf.InvalidProtocolBufferException',
}

/**
 * The part of the chain that a prefix shows: /wallet to the head, /walletsolidity to the solid
 * block. Where `pending` is set, the transactions that wait for a block are shown too.
 */
export type Sight = { top: number; view: View; pending: boolean }

export type ApiRequest = {
  method: 'GET' | 'POST'
  query: URLSearchParams
  /** The body as it came; parsed only by endpoints that look at it. */
  body: string
  contentType: string
}

export type Context = { chain: Chain; sight: Sight; params: Params; fault: FaultSettings }

export type Endpoint = {
  /** Last part of the path, as java-tron spells it. */
  path: string
  methods: 'POST' | 'GET POST'
  /** The older servlets that take only POST have an empty doGet: 200 without a body, not 405. */
  emptyGet?: boolean
  solidity: boolean
  /** Endpoints without arguments never look at their body. */
  bodyless?: boolean
  run(context: Context): unknown
}

/** The arguments of a call, from the query of a GET or the JSON (or form) of a POST. */
export class Params {
  readonly visible: boolean
  readonly #isGet: boolean
  readonly #values: Record<string, unknown> | NodeError
  readonly #text: string
  #places: ReadonlyMap<string, Place> | undefined

  constructor(request: ApiRequest, bodyless = false) {
    this.#isGet = request.method === 'GET'
    const fromQuery = this.#isGet || bodyless
    this.#values = fromQuery ? Object.fromEntries(request.query) : readBody(request)
    const isJson = !fromQuery && !isForm(request)
    this.#text = isJson ? request.body : ''
    const visible = this.#values instanceof NodeError ? false : this.#values.visible
    this.visible = visible === true || visible === 'true'
  }

  /** A body that cannot be read is an error only here, so that each endpoint says it its own way. */
  get values(): Record<string, unknown> {
    if (this.#values instanceof NodeError) throw this.#values
    return this.#values
  }

  /** An address in the form that `visible` asks for; '' when absent, as java reads null. */
  address(name: string): HexAddress {
    if (!this.#isGet) this.#expectString(name)
    const value = this.values[name]
    if (value === undefined || value === null || value === '') return ''
    return this.visible ? this.#base58(name, String(value)) : this.#hex(name, String(value))
  }

  text(name: string): string | undefined {
    const value = this.values[name]
    return value === undefined || value === null ? undefined : String(value)
  }

  /** A text that a node refuses to read from a number. */
  strictText(name: string): string | undefined {
    if (!this.#isGet) this.#expectString(name)
    return this.text(name)
  }

  hex(name: string): string {
    return this.#hex(name, this.text(name) ?? '')
  }

  boolean(name: string): boolean {
    const value = this.values[name]
    return value === true || value === 'true' || value === 1
  }

  /** An int64 without quotes; absent is 0. */
  integer(name: string): bigint {
    const value = this.values[name]
    if (value === undefined || value === null || (this.#isGet && value === '')) return 0n
    if (this.#isGet || this.#text === '') {
      const text = String(value)
      if (/^-?\d{1,19}$/.test(text) && isInt64(BigInt(text))) return BigInt(text)
      throw new NodeError(java.number, `For input string: "${text}"`)
    }
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    if (typeof value === 'bigint' && isInt64(value)) return value
    const token = this.#place(name)?.token ?? String(value)
    const isNumber = /^-?\d+$/.test(token)
    const reason = isNumber
      ? `Number out of range for 64-bit signed integer: ${token}`
      : `For input string: "${token}"`
    throw this.formatError(name, `Couldn't parse integer: ${reason}`)
  }

  /** An int64 that a servlet reads with fastjson, which also takes it out of quotes. */
  longValue(name: string): bigint {
    const value = this.values[name]
    const isDigits = typeof value === 'string' && /^-?\d{1,19}$/.test(value)
    return isDigits && isInt64(BigInt(value)) ? BigInt(value) : this.integer(name)
  }

  /** An error of java-tron's own JSON reader, which names the place of the value. */
  formatError(name: string, text: string): NodeError {
    const { line, column } = this.#place(name) ?? { line: 1, column: 1 }
    return new NodeError(java.format, `${line}:${column}: ${text}`)
  }

  #hex(name: string, text: string): string {
    const digits = text.toLowerCase().replace(/^0x/, '')
    if (/[^0-9a-f]/.test(digits)) throw this.formatError(name, 'INVALID hex String')
    return digits.length % 2 === 0 ? digits : `0${digits}`
  }

  #base58(name: string, text: string): HexAddress {
    const at = text.search(/[^1-9A-HJ-NP-Za-km-z]/)
    if (at >= 0) {
      const sentence = `INVALID base58 String, Illegal character ${text[at]} at ${at}`
      throw this.formatError(name, sentence)
    }
    const address = text.length === 34 ? parseAddress(text) : undefined
    if (address) return address
    throw new NodeError(java.null, 'Cannot read the array length because "bytes" is null')
  }

  #expectString(name: string): void {
    const value = this.values[name]
    if (value === undefined || value === null || typeof value === 'string') return
    throw this.formatError(name, 'Expected string.')
  }

  #place(name: string): Place | undefined {
    this.#places ??= placesOf(this.#text || JSON.stringify(this.values))
    return this.#places.get(name)
  }
}

function isForm({ body, contentType }: ApiRequest): boolean {
  return contentType.startsWith('application/x-www-form-urlencoded') && !/^\s*\{/.test(body)
}

function readBody(request: ApiRequest): Record<string, unknown> | NodeError {
  const { body } = request
  if (body.trim() === '') return new NodeError(java.format, '1:1: Expected "{".')
  if (isForm(request)) return Object.fromEntries(new URLSearchParams(body))
  return readJsonObject(body)
}

function readJsonObject(text: string): Record<string, unknown> | NodeError {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return new NodeError(java.json, syntaxError(text))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new NodeError(java.json, 'can not cast to JSONObject.')
  }
  return value as Record<string, unknown>
}

/** fastjson's words, as far as they were seen: a value that is missing at the end has a place. */
function syntaxError(text: string): string {
  if (!/:\s*$/.test(text)) return 'syntax error'
  const { length } = text
  return `unterminated json string, pos ${length}, line 1, column ${length + 1}${text}`
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}
