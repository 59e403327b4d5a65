import * as contract from '@ergon/contract'

// Writes `wire.ts` out for the package: types that refer to no other package, each field with the
// contract's description.

type Schema = {
  type?: string
  format?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  not?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
}
type Direction = 'read' | 'write'

const WRITTEN_OUT = /^export type (\w+) = (Answer|Body)<typeof (\w+)>$/
const AS_IT_STANDS = /^export type \w+ = [\w'[\]]+$/

const PAYLOADS = 'export type EventPayloads = Payloads<typeof eventTypes>'
/** Sent to chats only. */
const NEVER_SENT = 'webhook.disabled'

/** The text of wire.d.ts. Fails on a line it does not understand, so that no type goes missing. */
export function inlineTypes(wire: string): string {
  const lines = wire.split('\n').filter((line) => line.startsWith('export'))
  return `${lines.map(inlineLine).join('\n')}\n`
}

function inlineLine(line: string): string {
  if (line === PAYLOADS) return payloads()
  const match = WRITTEN_OUT.exec(line)
  if (!match && AS_IT_STANDS.test(line)) return line
  if (!match) throw new Error(`wire.ts has a line that cannot be written out: ${line}`)
  const [, name, kind, routeName] = match
  const route = (contract as Record<string, unknown>)[routeName!] as contract.Route
  const schema = (kind === 'Body' ? route.body : route.reply.schema) as Schema
  return `export type ${name} = ${typeText(schema, '', kind === 'Body' ? 'write' : 'read')}`
}

function payloads(): string {
  const sent = Object.entries(contract.eventTypes).filter(([type]) => type !== NEVER_SENT)
  const members = sent.map(
    ([type, { when, data }]) =>
      `/** ${when} */\n${JSON.stringify(type)}: ${typeText(data as Schema, '', 'read')}`,
  )
  return `export type EventPayloads = {\n${members.join('\n')}\n}`
}

function typeText(schema: Schema, name: string, direction: Direction): string {
  const text = bareText(schema, name, direction)
  return schema.nullable ? `${text} | null` : text
}

function bareText(schema: Schema, name: string, direction: Direction): string {
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.not) return 'never'
  switch (schema.type) {
    case 'integer':
      return integerText(name, direction)
    case 'string':
    case 'boolean':
      return schema.type
    case 'array':
      return `(${typeText(schema.items!, '', direction)})[]`
    case 'object':
      return objectText(schema, direction)
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`)
  }
}

/** The rule of wire.ts: money is bigint by its name; in requests a number is accepted too. */
function integerText(name: string, direction: Direction): string {
  if (!name.endsWith('_sun')) return 'number'
  return direction === 'read' ? 'bigint' : 'number | bigint'
}

function objectText(schema: Schema, direction: Direction): string {
  const { properties = {}, required = [], additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    return `Record<string, ${typeText(additionalProperties, '', direction)}>`
  }
  const members = Object.entries(properties).map(([name, field]) => {
    const words = field.description ? `/** ${field.description.replaceAll('*/', '* /')} */\n` : ''
    const mark = required.includes(name) ? '' : '?'
    return `${words}${JSON.stringify(name)}${mark}: ${typeText(field, name, direction)}`
  })
  return `{\n${members.join('\n')}\n}`
}

function literal(value: unknown): string {
  return JSON.stringify(value)
}
