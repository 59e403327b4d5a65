// Proves: operator, identity.
import { mayAct, operatorRoutes, ROLES, type Role } from '@ergon/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { COMMAND_ROLES, roleOfRoute, understood } from '../../service/operator/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openOperator, rolesOf } from '../testing/operator.ts'
import { bodyFor, pathOf } from '../testing/operatorCalls.ts'
import type { Visitor } from '../testing/visitor.ts'

// Each role with each action of the console and each command, from the tables that the service goes by.

let app: TestApp
const visitors = new Map<Role, Visitor & { email: string }>()
let body: Awaited<ReturnType<typeof bodyFor>>
beforeAll(async () => {
  app = await openTestApp()
  for (const role of ROLES) visitors.set(role, await openOperator(app, `${role}@example.com`, role))
  body = await bodyFor(visitors.get('viewer')!)
  // Where the role is enough, the age of the code refuses what changes something.
  await app.database.sql(`update better_auth.session set "codeAt" = "codeAt" - interval '1 hour'`)
})
afterAll(() => app.close())

const guarded = operatorRoutes.filter(({ auth }) => auth === 'operator')
const routeMatrix = ROLES.flatMap((role) =>
  guarded.map((route) => ({ role, route, may: mayAct(role, roleOfRoute(route.name)) })),
)
const errorOf = (answer: { body: { detail?: { error?: string } } }) => answer.body?.detail?.error

test.each(routeMatrix.map((one) => ({ ...one, line: `${one.route.method} ${one.route.path}` })))(
  '$role, $line: $may',
  async ({ role, route, may }) => {
    const before = await fingerprint()
    const { method, path, secondFactor } = route
    const answer = await visitors
      .get(role)!
      .call(method, pathOf(path), method === 'GET' ? undefined : body)
    if (!may) {
      const message = `Your role is ${role}; this needs ${roleOfRoute(route.name)}. Ask an administrator.`
      expect([answer.status, answer.body.detail]).toEqual([
        403,
        { error: 'role_required', message },
      ])
    } else if (secondFactor)
      expect([answer.status, errorOf(answer)]).toEqual([403, 'code_required'])
    else expect(errorOf(answer)).not.toBe('role_required')
    if (!may || secondFactor) expect(await fingerprint()).toEqual(before)
  },
)

const commandMatrix = Object.entries(COMMAND_ROLES).flatMap(([line, needed]) =>
  ROLES.map((role) => ({
    role,
    line,
    may: needed === 'machine' || mayAct(role, needed),
    // Only these look at the name.
    names: needed !== 'machine',
  })),
)

test.each(commandMatrix)('$role, npx ergon $line: $may', async ({ role, line, may, names }) => {
  const [name = '', ...verb] = line.split(' ')
  const ran = vi.fn((_args: string[]) => 0)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { named } = rolesOf(app)
  const command = understood({ [name]: { summary: '', usage: '', run: ran } }, named)[name]!
  // A viewer's commands take no --by: what they would be given is looked at first.
  const isRead = COMMAND_ROLES[line] === 'viewer' || !names
  const by = isRead ? [] : ['--by', role]
  const code = await command.run([...verb, ...by])
  expect([code, ran.mock.calls.length]).toEqual(may ? [0, 1] : [1, 0])
  if (may && !isRead) expect(ran).toHaveBeenCalledWith([...verb, `--by=${role}@example.com`])
  vi.restoreAllMocks()
})

test('a command in the name of nobody, or of two, is refused', async () => {
  const { named } = rolesOf(app)
  const twin = await openOperator(app, 'finance@other.example', 'viewer')
  expect(await named('nobody', 'viewer')).toMatchObject({ refused: 'not_found' })
  expect(await named('finance', 'viewer')).toMatchObject({
    extra: { message: expect.stringContaining('Several operators') },
  })
  expect(await named('FINANCE@example.com', 'finance')).toBe('finance@example.com')
  await app.database.sql(`delete from better_auth."user" where email = '${twin.email}'`)
})

test('a role that is taken away is gone at the next request', async () => {
  const roles = rolesOf(app)
  const ann = await openOperator(app, 'ann@example.com', 'administrator')
  const turn = () => ann.call('POST', '/switches/webhooks', { enabled: true, why: 'a test' })
  expect((await turn()).status).toBe(200)
  expect(await roles.set(ann.email, 'viewer')).toBeUndefined()
  expect(errorOf(await turn())).toBe('role_required')
  expect((await ann.call('GET', '/session')).body).toMatchObject({ role: 'viewer' })
  expect(await roles.remove(ann.email)).toBeUndefined()
  expect((await ann.call('GET', '/session')).status).toBe(401)
})

test('an operator whom the last release added without a role may only look', async () => {
  const eve = await openOperator(app, 'eve@example.com', 'administrator')
  await app.database.sql(`update better_auth."user" set "operatorRole" = null where email = $1`, [
    eve.email,
  ])
  const answer = await eve.call('POST', '/switches/webhooks', { enabled: true, why: 'a test' })
  expect(errorOf(answer)).toBe('role_required')
  expect((await eve.call('GET', '/session')).body).toMatchObject({ role: 'viewer' })
  expect((await eve.call('GET', '/switches')).status).toBe(200)
  expect(await rolesOf(app).remove(eve.email)).toBeUndefined()
})

test('the last administrator keeps the role, also when two leave at the same moment', async () => {
  const roles = rolesOf(app)
  await openOperator(app, 'other@example.com', 'administrator')
  const left = await Promise.all([
    roles.set('administrator@example.com', 'viewer'),
    roles.remove('other@example.com'),
  ])
  expect(left.filter((refusal) => refusal === undefined)).toHaveLength(1)
  const [last] = await app.database.sql<{ email: string }>(
    `select email from better_auth."user" where "operatorRole" = 'administrator'`,
  )
  const refusal = { extra: { message: expect.stringContaining('last administrator') } }
  expect(await roles.set(last!.email, 'finance')).toMatchObject(refusal)
  expect(await roles.remove(last!.email)).toMatchObject(refusal)
  expect(await roles.set(last!.email, 'administrator')).toBeUndefined()
  expect(await roles.remove('nobody@example.com')).toMatchObject({ refused: 'not_found' })
})

async function fingerprint() {
  return app.database.sql(`
    select (select count(*) from operator.action) as actions, (select enabled from orders.selling) as selling,
           (select count(*) from ledger.movement) as movements, (select schedule_sun from pricing.terms) as schedule`)
}
