import type { Operator } from '../operator.ts'
import { readLine } from '../options.ts'
import { EXIT } from './response.ts'

/** `npx ergon status`: the first page of the console. Exit code 1 when something needs a look. */
export async function runStatus({ status }: Operator, args: string[]): Promise<number> {
  const { selling, solvent, stuck, scanner, aside } = await status()
  const shown = { selling, solvent, stuck, scanner, put_aside: aside.rows }
  const word = (ok: boolean) => (ok ? 'ok   ' : 'LOOK ')
  const lines = [
    `${word(selling.ok)} selling  ${selling.sentence}`,
    `${word(solvent.ok)} solvent  ${solvent.sentence}`,
    `${word(stuck.ok)} stuck    ${stuck.sentence}`,
    ...stuck.work.map(({ count, sentence }) => `        ${count}  ${sentence}`),
    `${word(scanner.trouble === null)} scanner  block ${scanner.block}, ${scanner.lagSeconds} s old`,
    ...(scanner.trouble === null ? [] : [`        ${scanner.trouble}`]),
    ...aside.rows.map(
      ({ loop, subject, error, failures, firstAt, nextAt }) =>
        `        ${loop}  ${subject}: ${error}\n          ${failures} times since ${firstAt.toISOString()}, next try ${nextAt.toISOString()}`,
    ),
  ]
  readLine(args).say(shown, lines.join('\n'))
  return selling.ok && solvent.ok && stuck.ok ? EXIT.done : EXIT.refused
}
