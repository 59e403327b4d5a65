import { importsOf } from './imports.ts'
import type { Rule, Source, Violation } from './source.ts'

/** Each room of the service on its floor; a room may import what is below it. */
const FLOORS: readonly (readonly string[])[] = [
  ['db'],
  ['mail'],
  ['identity', 'chain', 'events', 'signing'],
  ['ledger', 'pricing', 'providers', 'addresses'],
  ['delivery'],
  ['orders', 'deposits'],
  ['autoenergy', 'agent', 'webhooks', 'chat', 'account', 'books', 'staking', 'treasury', 'status'],
  ['http', 'operator', 'sandbox-api', 'audit'],
  ['pages'],
]
const KERNEL = -1
/** The commands that handle keys and the signer's own files; a person runs them, never the service. */
const KEY_CEREMONY = ['keys', 'operatorKey', 'recover', 'signer'].map(
  (name) => `service/operator/commands/${name}.ts`,
)
/** Words and amounts: the signer and browsers take them without the routes. Commands search as the page does. */
const SECOND_DOORS = [
  'contract/approval.ts',
  'contract/trx.ts',
  'web/docs/rank.ts',
  'web/docs/search.ts',
]
const SIGNER_IMPORTS = ['kernel', 'db', 'signing', 'tron']
/** What serves the rooms knows none of them. */
const SHELL_IMPORTS: Record<string, readonly string[]> = {
  http: ['kernel', 'db'],
  pages: ['kernel', 'http'],
}
const PACKAGES = ['contract', 'tron', 'devnet', 'cli', 'sdk', 'web', 'docs', 'scripts', 'proof']
/** What each package may import of ours; all of them may be imported by proof. */
const PACKAGE_IMPORTS: Record<string, readonly string[]> = {
  contract: [],
  tron: [],
  devnet: ['tron'],
  sdk: ['contract'],
  cli: ['contract', 'sdk'],
  web: ['contract'],
  docs: ['sdk'],
  scripts: [],
}

/** Where a file belongs: a room of the service, its composition, the signer, or a package. */
function homeOf(path: string): string {
  if (path.startsWith('service/app/')) return 'app'
  if (path === 'service/signer.ts' || path.startsWith('service/signer/')) return 'signer'
  const [first = '', second = ''] = path.split('/')
  return first === 'service' ? second : first
}

function floorOf(room: string): number | undefined {
  if (room === 'kernel') return KERNEL
  const floor = FLOORS.findIndex((rooms) => rooms.includes(room))
  return floor < 0 ? undefined : floor
}

export function isTest(path: string): boolean {
  return path.startsWith('proof/') || /\.(test|story|bench)\.ts$/.test(path)
}

export const floors: Rule = {
  name: 'a room imports only from lower floors, only through index.ts',
  check: (tree) => tree.filter(({ path }) => /\.(ts|mjs)$/.test(path)).flatMap(checkFile),
}

function checkFile(source: Source): Violation[] {
  const { path } = source
  const room = homeOf(path)
  if (path.startsWith('service/') && !isKnown(room)) {
    const sentence = `${room} has no floor; give it one in proof/houseRules/floors.ts`
    return [{ path, line: 1, sentence }]
  }
  return importsOf(source).flatMap(({ target, line }) => {
    const sentence = troubleWith(path, target)
    return sentence === undefined ? [] : [{ path, line, sentence }]
  })
}

function isKnown(room: string): boolean {
  return room === 'app' || room === 'signer' || floorOf(room) !== undefined
}

function troubleWith(path: string, target: string): string | undefined {
  const [from, to] = [homeOf(path), homeOf(target)]
  if (from === to) return undefined
  if (SECOND_DOORS.includes(target)) return undefined
  if (KEY_CEREMONY.includes(path) && target === 'service/signer/index.ts') return undefined
  const isRoom = target.startsWith('service/') && to !== 'app' && to !== 'signer'
  const door = isRoom ? `service/${to}/index.ts` : `${to}/index.ts`
  const needsDoor = isRoom || (PACKAGES.includes(to) && to !== 'proof')
  if (needsDoor && target !== door) return `import ${door} instead: a room has one door`
  return isTest(path) ? troubleInTest(path, target) : troubleInRoom(from, to, isRoom)
}

function troubleInTest(path: string, target: string): string | undefined {
  if (path.startsWith('proof/')) return undefined
  const isOther = target.startsWith('proof/') && !target.startsWith('proof/testing/')
  if (isOther) return 'a test of a room takes its tools from proof/testing'
  const isComposition = ['app', 'signer'].includes(homeOf(target))
  return isComposition ? 'a test of a room opens the house through proof/testing' : undefined
}

function troubleInRoom(from: string, to: string, isRoom: boolean): string | undefined {
  if (to === 'proof') return 'proof is for tests; nothing of the service knows it'
  if (to === 'app') return 'nothing imports app: let it hand over what you need'
  if (to === 'signer') return 'the signer is a program of its own; speak to it through signing'
  if (from === 'signer') {
    const allowed = SIGNER_IMPORTS.includes(to)
    return allowed ? undefined : `the signer imports ${SIGNER_IMPORTS.join(', ')} and nothing else`
  }
  if (from === 'app') return to === 'cli' ? 'app does not know the command line' : undefined
  if (PACKAGES.includes(from)) {
    const allowed = PACKAGE_IMPORTS[from] ?? []
    if (allowed.includes(to)) return undefined
    return `${from} may not import ${to}; it knows ${allowed.join(', ') || 'nothing of ours'}`
  }
  if (!isRoom) {
    const allowed = to === 'contract' || to === 'tron'
    return allowed ? undefined : `${from} may not import ${to}; rooms know contract and tron`
  }
  const shell = SHELL_IMPORTS[from]
  if (shell && !shell.includes(to)) {
    return `${from} imports no room; let main hand it what it needs of ${to}`
  }
  const [own, other] = [floorOf(from)!, floorOf(to) ?? Number.POSITIVE_INFINITY]
  if (other < own) return undefined
  return other === own
    ? `${from} and ${to} are on one floor; let main register a participant instead`
    : `${from} may not import ${to}, which is above it; let main hand it over, or emit an event`
}
