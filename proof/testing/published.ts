import { openApi, routes, sandboxRoutes } from '@ergon/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> }
type Path = { pattern: RegExp; operations: Record<string, Operation> }

const description = openApi(routes, sandboxRoutes) as {
  paths: Record<string, Record<string, Operation> & { servers?: { url: string }[] }>
  components: object
}
const paths: Path[] = Object.entries(description.paths).map(
  ([path, { servers, ...operations }]) => {
    const base = servers?.[0]?.url ?? '/v1'
    const steps = (base + path).split('/').map((step) => (step.startsWith('{') ? '[^/]+' : step))
    return { pattern: new RegExp(`^${steps.join('/')}$`), operations }
  },
)

// Formats other than uuid are not checked: each has a pattern beside it, which is.
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
ajv.addFormat('uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
const checks = new Map<object, ValidateFunction>()

/** Throws if the published description does not allow this answer for its path. */
export function assertPublished(
  { method, url }: { method: string; url: string },
  { status, type, body }: { status: number; type: string; body: unknown },
): void {
  const { pathname } = new URL(url)
  const found = paths.find(({ pattern }) => pattern.test(pathname))
  const operation = found?.operations[method.toLowerCase()]
  if (!operation) return
  // Production has no sandbox.
  if (pathname.startsWith('/sandbox/') && status === 404) return
  const about = `${method} ${pathname} answered ${status}`
  const response = operation.responses[status]
  if (!response) throw new Error(`${about}, which the published description does not have`)
  if (!response.content) return
  const schema = response.content[type.split(';')[0]!]?.schema
  if (!schema) throw new Error(`${about} as ${type}, which is not the published type`)
  const check = checks.get(schema) ?? compile(schema)
  checks.set(schema, check)
  if (check(body)) return
  const faults = ajv.errorsText(check.errors, { separator: '\n' })
  throw new Error(`${about} otherwise than published:\n${faults}\n${JSON.stringify(body)}`)
}

function compile(schema: object): ValidateFunction {
  return ajv.compile({ ...schema, components: description.components })
}
