import type { Route } from '@ergon/contract'
import { isAddress } from '@ergon/tron'
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { faultOf, type RequestFault } from './faults.ts'

/** Checks every part of a request and returns all its faults, at most 20 of them. */
export type Validator = (request: FastifyRequest) => RequestFault[]

type Properties = Record<string, { type?: string }>

const FAULTS_MAX = 20
const NO_FAULTS: RequestFault[] = []
const DIGITS = /^-?\d+$/
const PARTS = [
  ['path', 'params'],
  ['query', 'query'],
  ['header', 'headers'],
  ['body', 'body'],
] as const

// No coercion and nothing removed: "65000" is not an integer, unknown fields are ignored.
const ajv = new Ajv({
  allErrors: true,
  coerceTypes: false,
  useDefaults: true,
  strict: false,
  verbose: true,
})
ajv.addFormat('text', (value: string) => value.isWellFormed() && !value.includes('\0'))
ajv.addFormat('address', isAddress)
ajv.addFormat('line', (value: string) => value.isWellFormed() && !/\p{Cc}/u.test(value.trim()))
ajv.addKeyword({
  keyword: 'trimmedLengthMax',
  type: 'string',
  // Count code points, not UTF-16 units.
  validate: (most: number, value: string) => [...value.trim()].length <= most,
})

export function validatorFor(route: Route): Validator {
  const checks: ((request: FastifyRequest) => RequestFault[])[] = []
  for (const [place, part] of PARTS) {
    const schema = route[part]
    if (!schema) continue
    // Compiled at the first request: all validators together took half of the processor time of a start.
    let compiled: ValidateFunction | undefined
    const integers = place === 'query' ? integerFields(schema.properties as Properties) : []
    checks.push((request) => {
      for (const name of integers) readInteger(request.query as Record<string, unknown>, name)
      // Without required fields a missing body equals an empty one.
      if (part === 'body' && !schema.required?.length && request.body === undefined)
        request.body = {}
      compiled ??= ajv.compile(schema)
      return faultsIn(place, compiled, request[part])
    })
  }
  return (request) => {
    let faults: RequestFault[] = NO_FAULTS
    for (const check of checks) {
      const found = check(request)
      if (found.length > 0) faults = [...faults, ...found]
    }
    return faults.length > FAULTS_MAX ? faults.slice(0, FAULTS_MAX) : faults
  }
}

function faultsIn(place: string, check: ValidateFunction, data: unknown): RequestFault[] {
  if (data === undefined) return [{ loc: [place], msg: 'A JSON body is required', type: 'missing' }]
  if (check(data)) return NO_FAULTS
  // `if` only repeats the error of its branch.
  const errors = (check.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return errors.map((error) => faultOf(place, error))
}

function integerFields(properties: Properties): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.type === 'integer')
}

/** Converts an integer of the query string, strictly; the only conversion we make. */
function readInteger(query: Record<string, unknown>, name: string) {
  const value = query[name]
  if (typeof value !== 'string') return
  if (DIGITS.test(value)) query[name] = Number(value)
}
