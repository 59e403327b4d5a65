import { matches } from '../testing/documented.ts'
import { buildPages } from '../testing/pages.ts'
import {
  type Block,
  blocksOfSection,
  machineOf,
  manualPages,
  orderOfSections,
  shellBlocksOf,
} from './blocks.ts'
import { beforeSection, fillIn, insteadOfBlock, type Read } from './person.ts'
import { findPrograms, lastLines, openWorld, type World } from './world.ts'

/** Seconds that a block may take. */
const PATIENCE = 180

export type ManualReport = {
  ran: number
  /** Steps of people that the proof did itself. */
  acted: number
  skipped: number
  failures: string[]
  notTried?: string
}

/** Follows the operating manual from empty folders; every block is printed with what became of it. */
export async function runManual(say: (line: string) => void): Promise<ManualReport> {
  const report: ManualReport = { ran: 0, acted: 0, skipped: 0, failures: [] }
  const programs = findPrograms()
  if (!programs) {
    return { ...report, notTried: 'psql and pg_basebackup of PostgreSQL are not installed' }
  }
  say(`PostgreSQL's programs: ${programs}`)
  // The block that does it needs a public network for its first line.
  buildPages()
  const world = await openWorld(programs)
  const read: Read = { printed: '' }
  try {
    for (const section of orderOfSections()) {
      const step = beforeSection[`${section.page}#${section.section}`]
      if (step) {
        await step.act(world, read)
        report.acted += 1
        say(`person   ${section.page}: ${step.what}`)
      }
      for (const block of blocksOfSection(section)) await follow(world, read, block, report, say)
    }
  } catch (error) {
    report.failures.push((error as Error).message)
    say(`FAILED   ${(error as Error).message}`)
    say(lastLines(world.folder))
  } finally {
    await world.close()
  }
  for (const block of others()) {
    report.skipped += 1
    say(
      `skipped  ${nameOf(block)}: ${block.needs ? `needs ${block.needs}` : 'run in the sandbox by npm test'}`,
    )
  }
  return report
}

async function follow(
  world: World,
  read: Read,
  block: Block,
  report: ManualReport,
  say: (line: string) => void,
) {
  if (block.needs !== undefined) {
    const step = insteadOfBlock[block.needs]
    if (step) {
      await step.act(world, read)
      report.acted += 1
      say(`person   ${nameOf(block)}: ${step.what}`)
    } else {
      report.skipped += 1
      say(`skipped  ${nameOf(block)}: needs ${block.needs}`)
    }
    return
  }
  fillIn(world, read)
  const machine = machineOf(block)
  const fromMs = performance.now()
  const printed = await world.shells[machine]
    .run(world.adapt(machine, block.commands), PATIENCE)
    .catch((error: Error) => {
      throw new Error(`${nameOf(block)} on ${machine}: ${error.message}`)
    })
  read.printed += printed.out
  report.ran += 1
  say(
    `ran      ${nameOf(block)} on ${machine}, ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`,
  )
  if (block.output !== undefined && !matches(printed.out, world.adapt(machine, block.output))) {
    throw new Error(`${nameOf(block)} shows\n${block.output}\nand printed\n${printed.all}`)
  }
}

/** Blocks outside the order. */
function others(): Block[] {
  const order = orderOfSections()
  const isIn = ({ page, section }: Block) =>
    order.some((one) => one.page === page && one.section === section)
  return manualPages()
    .flatMap(shellBlocksOf)
    .filter((block) => !isIn(block))
}

const nameOf = ({ page, section, line }: Block) => `${page}:${line} (${section})`
