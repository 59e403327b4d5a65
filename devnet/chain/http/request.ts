import { type HexAddress, parseAddress, parseJson } from '@ergon/tron'
import type { Chain } from '../chain.ts'
import type { View } from '../state.ts'

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
  null: 'java.lang.NullPointerException',
  parameter: 'java.security.InvalidParameterException',
  validate: 'org.tron.core.exception.ContractValidateException',
  protobuf: 'com.google.protobuf.InvalidProtocolBufferException',
}

/** The part of the chain that a prefix shows: /wallet to the head, /walletsolidity to the solid. */
export type Sight = { top: number; view: View }

export type ApiRequest = {
  method: 'GET' | 'POST'
  query: URLSearchParams
  /** The body as it came; parsed only by endpoints that look at it. */
  body: string
  contentType: string
}

export type Context = { chain: Chain; sight: Sight; params: Params }

export type Endpoint = {
  /** Last part of the path, as java-tron spells it. */
  path: string
  methods: 'POST' | 'GET POST'
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

  constructor(request: ApiRequest, bodyless = false) {
    this.#isGet = request.method === 'GET'
    const fromQuery = this.#isGet || bodyless
    this.#values = fromQuery ? Object.fromEntries(request.query) : readBody(request)
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
    const value = this.values[name]
    if (value === undefined || value === null || value === '') return ''
    const text = String(value)
    if (this.visible) {
      const address = text.length === 34 ? parseAddress(text) : undefined
      if (!address) throw new NodeError(java.format, '1:1: INVALID base58 String')
      return address
    }
    if (!isHex(text)) {
      throw new NodeError(
        java.hex,
        'exception decoding Hex string: invalid characters encountered in Hex string',
      )
    }
    return text.toLowerCase().replace(/^0x/, '')
  }

  text(name: string): string | undefined {
    const value = this.values[name]
    return value === undefined || value === null ? undefined : String(value)
  }

  hex(name: string): string {
    const text = this.text(name) ?? ''
    if (!isHex(text)) throw new NodeError(java.format, '1:1: INVALID hex String')
    return text.toLowerCase().replace(/^0x/, '')
  }

  boolean(name: string): boolean {
    const value = this.values[name]
    return value === true || value === 'true' || value === 1
  }

  /** An int64; absent is 0 in a body and an error in a query, as Long.parseLong(null). */
  integer(name: string): bigint {
    const value = this.values[name]
    if (value === undefined || value === null) {
      if (this.#isGet) throw new NodeError(java.number, 'null')
      return 0n
    }
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
    if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value)
    if (this.#isGet) throw new NodeError(java.number, `For input string: "${value}"`)
    throw new NodeError(java.format, `1:1: Couldn't parse integer: For input string: "${value}"`)
  }
}

function readBody({ body, contentType }: ApiRequest): Record<string, unknown> | NodeError {
  if (body.trim() === '') return new NodeError(java.null, 'null')
  if (contentType.startsWith('application/x-www-form-urlencoded') && !/^\s*\{/.test(body)) {
    return Object.fromEntries(new URLSearchParams(body))
  }
  return readJsonObject(body)
}

function readJsonObject(text: string): Record<string, unknown> | NodeError {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return new NodeError(java.json, `syntax error, position at 0, text : ${text.slice(0, 64)}`)
  }
  if (typeof value !== 'object' || value === null) {
    return new NodeError(java.json, 'syntax error, expect {, actual int, pos 1')
  }
  if (Array.isArray(value)) return new NodeError(java.json, 'can not cast to JSONObject.')
  return value as Record<string, unknown>
}

function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^(0x)?[0-9a-fA-F]*$/.test(text)
}
