import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@ergon/devnet'
import { SANDBOX_MNEMONIC_FILE } from '../../service/app/sandboxNetwork.ts'
import { COMPILED } from '../testing/compiled.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

type Program = 'app' | 'signer'
/** The service and its signer, each in a process that can be killed at a step. */
export type World = {
  database: TestDatabase
  devnet: Devnet
  children: Record<Program, Mortal>
  /** Where the processes record the steps at which they died. */
  folder: string
}

/** One kill, or one at each matching step or a share of them, the first time it is reached. */
type Fault = { program: Program; step: string } | { everywhere: RegExp; share?: string }

export type Life = { live(world: World): Promise<void>; check(world: World): Promise<void> }

/**
 * A process that is restarted without its fault when it dies. With a file of deaths it keeps dying.
 */
class Mortal {
  readonly steps: string[] = []
  url = ''
  deaths = 0
  #child: ChildProcess | undefined
  #isArmed = false
  #closing = false
  readonly #program: Program
  readonly #env: Record<string, string>

  constructor(program: Program, env: Record<string, string>) {
    this.#program = program
    this.#env = env
  }

  async start(dieAt = ''): Promise<void> {
    const child = fork(join(import.meta.dirname, 'mortalProcess.ts'), {
      env: {
        ...this.#env,
        MORTAL_PROGRAM: this.#program,
        MORTAL_STEP: dieAt,
        ...COMPILED,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    })
    this.#child = child
    await new Promise<void>((ready) => {
      child.on('message', (message: 'ready' | { url?: string; step?: string }) => {
        if (typeof message === 'object' && message.step) this.steps.push(message.step)
        else {
          if (typeof message === 'object') this.url = message.url ?? ''
          if (this.#isArmed && this.#env.MORTAL_DEATHS) child.send('arm')
          ready()
        }
      })
    })
    child.once('exit', () => {
      if (this.#closing) return
      this.deaths += 1
      void this.start()
    })
  }

  arm() {
    this.#isArmed = true
    this.#child?.send('arm')
  }

  /** From the next start on it has no faults. */
  spare() {
    this.#isArmed = false
  }

  async close() {
    this.#closing = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    await new Promise((gone) => {
      child.once('exit', gone)
      child.kill('SIGKILL')
    })
  }
}

/** Settings of the service, which may need the devnet; the signer gets those of its own. */
export type GivenSettings =
  | Record<string, string>
  | ((devnet: Devnet) => Promise<Record<string, string>>)

async function openWorld(fault: Fault | undefined, given: GivenSettings): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-deaths-'))
  const everywhere = (program: Program): Record<string, string> =>
    fault && 'everywhere' in fault
      ? {
          MORTAL_DEATHS: join(folder, program),
          MORTAL_PATTERN: fault.everywhere.source,
          MORTAL_SHARE: fault.share ?? '0/1',
        }
      : {}
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  const settings = typeof given === 'function' ? await given(devnet) : given
  const ofSigner = Object.entries(settings).filter(([name]) => name.startsWith('SIGNER_'))
  const children = {
    app: new Mortal('app', {
      MORTAL_DATABASE: database.url('ergon_app'),
      MORTAL_NODE: devnet.url,
      ...settings,
      ...everywhere('app'),
    }),
    signer: new Mortal('signer', {
      DATABASE_SIGNER_URL: database.url('ergon_signer'),
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
      ...Object.fromEntries(ofSigner),
      ...everywhere('signer'),
    }),
  }
  const stepOf = (program: Program) =>
    fault && 'program' in fault && fault.program === program ? fault.step : ''
  await Promise.all([children.app.start(stepOf('app')), children.signer.start(stepOf('signer'))])
  return { database, devnet, children, folder }
}

/** A service that dies a dozen times in a row is down for a while. */
const PATIENCE_MS = 90_000

/** Retries while the service is down, with the same key, as a careful client does. */
export async function ask(
  world: World,
  method: string,
  path: string,
  options: Record<string, unknown>,
) {
  const { key, body, idempotencyKey } = options as {
    key?: string
    body?: unknown
    idempotencyKey?: string
  }
  return until(
    `${method} ${path} is answered`,
    async () => {
      const headers: Record<string, string> = { 'x-api-key': key ?? '' }
      if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
      const given = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(world.children.app.url + path, {
        method,
        headers,
        ...given,
      }).catch(() => undefined)
      if (!answer || answer.status >= 500 || answer.status === 409) return undefined
      return (await answer.json().catch(() => undefined)) as Record<string, never>
    },
    PATIENCE_MS,
  )
}

/** One run, with the given kill if there is one; then `check` examines the result. */
export async function runWorld({ live, check }: Life, fault?: Fault, settings: GivenSettings = {}) {
  const world = await openWorld(fault, settings)
  try {
    await live(world)
    const { app, signer } = world.children
    // The step of the last commit may be reported after its effect is visible.
    if (fault && 'program' in fault) {
      await until('it dies', () => world.children[fault.program].deaths === 1)
    }
    await check(world)
    return {
      steps: { app: app.steps, signer: signer.steps },
      deaths: app.deaths + signer.deaths,
    }
  } finally {
    await Promise.all([world.children.app.close(), world.children.signer.close()])
    await world.devnet.close()
    await world.database.drop()
    rmSync(world.folder, { recursive: true, force: true })
  }
}
