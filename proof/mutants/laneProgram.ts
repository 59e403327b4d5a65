// A lane: one Vitest and one PostgreSQL that keep running in a copy of the tree while mutants
// change.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'
import { endTree } from '../../scripts/index.ts'
import { connectClient, migrate } from '../../service/db/index.ts'
import { troubleWithFunctions, troubleWithStatement } from './prepared.ts'

export type Request =
  /** Writes a file, prepares `statement` in the database, and replaces SQL functions. */
  | { do: 'write'; file: string; text: string; statement?: string | undefined }
  | { do: 'test'; file: string; limitMs: number }
export type Answer = {
  state: 'green' | 'red' | 'time' | 'invalid' | 'gone'
  test?: string
  output?: string
}

const ROOT = join(import.meta.dirname, '../..')
const workers = join(ROOT, '.data/workers')
mkdirSync(workers, { recursive: true })
process.env.ERGON_WORKERS = workers

const vitest = await createVitest('test', {
  root: ROOT,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  // Each file loads the mutant in its own modules.
  isolate: true,
  fileParallelism: false,
  reporters: [{}],
})
await vitest.standalone()
// Run first: it includes starting the server, migrating it and compiling all sources, 20 s and
// more. The time limits of the other files then hold.
const WARM_UP = 'proof/contract/public-pricing.test.ts'
const first = await test({ do: 'test', file: WARM_UP, limitMs: 240_000 })

process.on('message', (request: Request) => {
  const work = request.do === 'write' ? write(request) : test(request)
  work.then(
    (answer) => process.send!(answer),
    (error: Error) => process.send!({ state: 'red', output: String(error.stack) } satisfies Answer),
  )
})
// The parent has ended; the server ends with this process.
process.once('disconnect', () => process.exit(1))
process.send!(first)

async function write({ file, text, statement }: Request & { do: 'write' }): Promise<Answer> {
  writeFileSync(join(ROOT, file), text)
  vitest.invalidateFile(join(ROOT, file))
  await dropLeftovers()
  const url = urlOf('template_ergon')
  const trouble = file.endsWith('.sql')
    ? await troubleWithFunctions(url, text)
    : statement && (await troubleWithStatement(url, { root: ROOT, file, name: statement }))
  if (trouble) return { state: 'invalid', output: trouble }
  if (file.endsWith('.sql')) await migrate(url)
  return { state: 'green' }
}

async function test({ file, limitMs }: Request & { do: 'test' }): Promise<Answer> {
  const path = join(ROOT, file)
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    for (const pid of readdirSync(workers).filter((one) => isWorkerOf(one, path))) {
      endTree(Number(pid))
    }
  }, limitMs)
  try {
    vitest.state.clearErrors()
    const specification = vitest.getRootProject().createSpecification(path)
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
    if (isOver) return { state: 'time', output: `${file} did not end in ${limitMs} ms` }
    const module = testModules.find(({ moduleId }) => moduleId === path)
    if (module?.state() === 'passed' && unhandledErrors.length === 0) return { state: 'green' }
    return failureOf(module, unhandledErrors)
  } finally {
    clearTimeout(timer)
  }
}

function isWorkerOf(pid: string, path: string): boolean {
  return readFileSync(join(workers, pid), 'utf8') === path
}

type Failure = { message?: string; stack?: string }

function failureOf(module: TestModule | undefined, unhandled: unknown[]): Answer {
  const failed = [...(module?.children.allTests('failed') ?? [])]
  const errors: Failure[] = [
    ...failed.flatMap((one) => one.result().errors ?? []),
    ...(module?.errors() ?? []),
    ...(unhandled as Failure[]),
  ]
  const output = errors.map(({ message, stack }) => stack ?? message ?? '').join('\n')
  const names = failed.map(({ fullName }) => fullName).join('\n')
  return { state: 'red', test: failed[0]?.fullName ?? '(the file)', output: `${names}\n${output}` }
}

function urlOf(database: string): string {
  const { postgres } = vitest.getRootProject().getProvidedContext()
  return postgres.replace('ROLE', 'ergon_admin').replace('DATABASE', database)
}

/** Drops databases of test files that were ended. */
async function dropLeftovers(): Promise<void> {
  const client = await connectClient({ connectionString: urlOf('postgres') })
  try {
    const { rows } = await client.query(
      `select datname as name from pg_database where datname like 'test\\_%'`,
    )
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`)
  } finally {
    await client.end()
  }
}
