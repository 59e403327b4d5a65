import { operatorRoutes, ROLES } from '@ergon/contract'
import { expect, test } from 'vitest'
import { usage } from './commands/usage.ts'
import {
  COMMAND_ROLES,
  changesOf,
  ROUTE_ROLES,
  roleOfCommand,
  roleOfRoute,
  verbsOf,
} from './permissions.ts'

// Each action of the console and each command is tied to a role.

type Name = keyof typeof usage
const names = Object.keys(usage) as Name[]
const guarded = operatorRoutes.filter(({ auth }) => auth === 'operator')
/** Every form of every command, as its usage has them. */
const lines = names.flatMap((name) => [name, ...verbsOf(name).map((verb) => `${name} ${verb}`)])

test.each(guarded.map(({ name }) => name))('the route %s has a row', (name) => {
  expect(ROLES).toContain(roleOfRoute(name))
})

test.each(lines)('the command %s has a row, or needs a verb', (line) => {
  const [name, verb] = line.split(' ') as [Name, string?]
  const role = roleOfCommand(name, verb ? [verb] : [])
  if (verb || verbsOf(name).length === 0) expect(role).toBeDefined()
})

test('no row is of something that is not there', () => {
  const routes = guarded.map(({ name }) => name)
  expect(Object.keys(ROUTE_ROLES).filter((name) => !routes.includes(name))).toEqual([])
  expect(Object.keys(COMMAND_ROLES).filter((line) => !lines.includes(line as Name))).toEqual([])
})

test('a viewer changes nothing: a route that changes needs more, or is their own sign-in', () => {
  expect(changesOf('viewer').sort()).toEqual([
    '/followed/replay',
    '/passkeys',
    '/passkeys/challenge',
    '/passkeys/{id}',
    '/schedule/preview',
    '/session/password',
    '/session/step-up',
    '/session/step-up/challenge',
    '/session/step-up/passkey',
    '/stakes/preview',
  ])
})

test('what a command with --by changes needs more than a viewer', () => {
  const changing = lines.filter((line) => {
    const [name, verb] = line.split(' ') as [Name, string?]
    const form = usage[name].split('\n').find((one) => one.includes(verb ? ` ${verb} ` : '\0'))
    return form?.includes('--by') === true
  })
  expect(changing.length).toBeGreaterThan(10)
  expect(changing.filter((line) => COMMAND_ROLES[line] === 'viewer')).toEqual([])
})

test('what has no row is an error that says what to add', () => {
  expect(() => roleOfRoute('postOperatorNews')).toThrow(
    'The route postOperatorNews has no role: add it to ROUTE_ROLES in service/operator/permissions.ts',
  )
  expect(() => roleOfCommand('news' as Name, [])).toThrow(
    'The command `news` has no role: add it to COMMAND_ROLES in service/operator/permissions.ts',
  )
})

test('a form that the usage does not have has no role; the command refuses it', () => {
  expect(roleOfCommand('adjust', ['steal'])).toBeUndefined()
  expect(roleOfCommand('accounts', ['discount'])).toBe('finance')
  expect(roleOfCommand('accounts', ['Corner shop'])).toBe('viewer')
})
