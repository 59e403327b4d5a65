// Proves: http.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi, routes } from '@ergon/contract'
import { expect, test } from 'vitest'

// Within /v1 nothing that was published is taken away, renamed or retyped. published.txt has a line for
// each operation, parameter, field of a body and field of an answer; what is new gets its line with the release.

type Schema = {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  required?: string[]
}
type Operation = {
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

const document = JSON.parse(JSON.stringify(openApi(routes))) as {
  paths: Record<string, Record<string, Operation>>
}

function resolved(schema: Schema): Schema {
  if (!schema.$ref) return schema
  const steps = schema.$ref.slice(2).split('/')
  return steps.reduce((at, step) => (at as Record<string, unknown>)[step], document as unknown)!
}

function fieldsOf(given: Schema, name: string): string[] {
  const schema = resolved(given)
  const type = [schema.type ?? 'any'].flat().join('|')
  const own = name === '' ? [] : [`${name}: ${type}`]
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    fieldsOf(field, name === '' ? key : `${name}.${key}`),
  )
  return [...own, ...inside, ...(schema.items ? fieldsOf(schema.items, `${name}[]`) : [])]
}

const schemaOf = (content: Record<string, { schema: Schema }> | undefined) =>
  Object.values(content ?? {})[0]?.schema ?? {}

function linesOf(operation: Operation): string[] {
  const parameters = (operation.parameters ?? []).flatMap((one) => [
    `takes ${one.in} ${one.name}: ${[one.schema.type ?? 'any'].flat().join('|')}`,
    ...(one.required && one.in !== 'path' ? [`needs ${one.name}`] : []),
  ])
  const body = resolved(schemaOf(operation.requestBody?.content))
  const sent = fieldsOf(body, '').map((line) => `takes body ${line}`)
  const needed = (body.required ?? []).map((name) => `needs ${name}`)
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    status.startsWith('2')
      ? [status, ...fieldsOf(schemaOf(content), '').map((line) => `${status} ${line}`)]
      : [],
  )
  return [...parameters, ...sent, ...needed, ...answers]
}

const now = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    linesOf(operation).map((line) => `${method.toUpperCase()} ${path} ${line}`),
  ),
)
const promised = readFileSync(join(import.meta.dirname, 'published.txt'), 'utf8')
  .trim()
  .split('\n')
const isDemand = (line: string) => line.includes(' needs ')

test('everything that was published is still there, by its name and type', () => {
  expect(promised.filter((line) => !isDemand(line) && !now.includes(line))).toEqual([])
})

test('nothing more is asked of a client than before', () => {
  const operationOf = (line: string) => line.split(' ', 2).join(' ')
  const known = new Set(promised.map(operationOf))
  const demands = now.filter((line) => isDemand(line) && known.has(operationOf(line)))
  expect(demands.filter((line) => !promised.includes(line))).toEqual([])
})
