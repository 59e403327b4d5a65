import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// The shell blocks of the operating manual, and the order in which a reader follows them.

const FOLDER = join(import.meta.dirname, '../../docs/operating')
const ORDER = { page: 'going-live.md', section: 'in-this-order' }

/** The machines that blocks name. The proof opens a shell for each. */
export const MACHINES = ['db-1', 'db-2', 'app-1', 'signer-1', 'client-1'] as const
export type Machine = (typeof MACHINES)[number]
/** The key ceremony names no machine: its blocks are also run in the sandbox, by readme.test.ts. */
const UNNAMED: Machine = 'signer-1'

export type Section = { page: string; section: string }
export type Block = Section & {
  line: number
  commands: string
  /** What the page shows as its output. */
  output: string | undefined
  /** From "# on NAME, as USER". Undefined: the block names none. */
  machine: string | undefined
  /** From "# needs …": why it is not run. */
  needs: string | undefined
}

export const manualPages = () => globSync('*.md', { cwd: FOLDER }).sort()
const read = (page: string) => readFileSync(join(FOLDER, page), 'utf8')

/** As GitHub makes the anchor of a heading. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Every `sh` block of a page, with the section that it stands in. */
export function shellBlocksOf(page: string): Block[] {
  const blocks: Block[] = []
  const lines = read(page).split('\n')
  let section = ''
  for (let at = 0; at < lines.length; at += 1) {
    const [, heading] = /^#+ (.*)/.exec(lines[at]!) ?? []
    if (heading) section = slugOf(heading)
    if (!lines[at]!.startsWith('```')) continue
    const end = lines.indexOf('```', at + 1)
    if (lines[at] === '```sh') {
      const body = lines.slice(at + 1, end)
      blocks.push({
        page,
        section,
        line: at + 1,
        ...partsOf(body),
        output: outputAt(lines, end + 2),
      })
    }
    at = end
  }
  return blocks
}

function partsOf(body: string[]) {
  const first = body[0] ?? ''
  return {
    commands: body.join('\n'),
    machine: /^# on ([\w-]+), as /.exec(first)?.[1],
    needs: /^# needs (.+)/.exec(first)?.[1],
  }
}

function outputAt(lines: string[], at: number): string | undefined {
  if (lines[at] !== '```text') return undefined
  return lines.slice(at + 1, lines.indexOf('```', at + 1)).join('\n')
}

/** The sections that going-live.md lists, in its order. */
export function orderOfSections(): Section[] {
  const [, list = ''] = read(ORDER.page).split(/^## In this order$/m)
  const links = list.split(/^## /m)[0]!.matchAll(/\]\(([\w-]+\.md)?#([\w-]+)\)/g)
  return [...links].map(([, page, section]) => ({ page: page ?? ORDER.page, section: section! }))
}

/** Blocks of one section, as they stand. */
export function blocksOfSection({ page, section }: Section): Block[] {
  return shellBlocksOf(page).filter((block) => block.section === section)
}

export const isInOrder = ({ page, section }: Section) =>
  orderOfSections().some((one) => one.page === page && one.section === section)

export const machineOf = ({ machine = UNNAMED }: Block) => machine as Machine

/** Sections of a page by their anchors. */
export function sectionsOf(page: string): string[] {
  const prose = read(page).replaceAll(/^```.*\n[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slugOf(heading!))
}
