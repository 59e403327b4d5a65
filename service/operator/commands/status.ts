import { type Clock, grouped } from '../../kernel/index.ts'
import type { Auditor, Operator } from '../operator.ts'
import { readLine } from '../options.ts'
import { PROVEN_MS_MAX } from '../status.ts'
import { EXIT } from './response.ts'

type Rooms = { audit: Auditor; operator: Operator; clock: Clock }

/** `npx ergon status`: the first page of the console. Exit code 1 when something needs a look. */
export async function runStatus(rooms: Rooms, args: string[]): Promise<number> {
  const { selling, solvent, stuck, scanner, bandwidth, aside } = await rooms.operator.status()
  const books = await readBooks(rooms)
  const shown = { selling, solvent, stuck, books, scanner, bandwidth, put_aside: aside.rows }
  const word = (ok: boolean) => (ok ? 'ok   ' : 'LOOK ')
  const lines = [
    `${word(selling.ok)} selling  ${selling.sentence}`,
    ...selling.sizes.flatMap(({ energy, why }) =>
      why === null ? [] : `        ${grouped(energy)} Energy is not sold now: ${why}.`,
    ),
    `${word(solvent.ok)} solvent  ${solvent.sentence}`,
    `${word(stuck.ok)} stuck    ${stuck.sentence}`,
    ...stuck.work.map(({ count, sentence }) => `        ${count}  ${sentence}`),
    `${word(books.ok)} books    ${books.sentence}`,
    ...books.failing.map(
      ({ invariant, failures }) => `        ${invariant}: ${failures} runs ended with an error`,
    ),
    `${word(scanner.trouble === null)} scanner  block ${scanner.block}, ${scanner.lagSeconds} s old`,
    ...(scanner.trouble === null ? [] : [`        ${scanner.trouble}`]),
    `${word(bandwidth.ok)} bandwidth  ${bandwidth.sentence}`,
    ...aside.rows.map(
      ({ loop, subject, error, failures, firstAt, nextAt }) =>
        `        ${loop}  ${subject}: ${error}\n          ${failures} times since ${firstAt.toISOString()}, next try ${nextAt.toISOString()}`,
    ),
  ]
  readLine(args).say(shown, lines.join('\n'))
  const isWell = scanner.trouble === null && bandwidth.ok
  return selling.ok && solvent.ok && stuck.ok && books.ok && isWell ? EXIT.done : EXIT.refused
}

/** From the database: ages are counted in the processes that run the auditor, not in this one. */
async function readBooks({ audit, clock }: Rooms) {
  const [proofs, pass] = await Promise.all([audit.lastProofs(), audit.pass()])
  const { invariant, provenAt } = proofs[0]!
  const ok = provenAt !== null && clock.now().getTime() - provenAt.getTime() <= PROVEN_MS_MAX
  const done = Math.floor(pass.done * 100)
  const oldest = `Oldest proof: ${invariant}, ${provenAt?.toISOString() ?? 'never'}.`
  const sentence = `${oldest} Full pass ${pass.passes + 1n} over all history: ${done} %.`
  return { ok, sentence, failing: proofs.filter(({ failures }) => failures > 0n) }
}
