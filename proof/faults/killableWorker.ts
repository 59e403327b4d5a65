import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { type Devnet, telegramToken } from '@ergon/devnet'
import { COMPILED } from '../testing/compiled.ts'
import type { TestDatabase } from '../testing/database.ts'

/** The service in its own process; `kill` sends SIGKILL and returns the time of its end. */
export type Worker = { url: string; kill(): Promise<number> }

export async function startWorker(database: TestDatabase, devnet: Devnet): Promise<Worker> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'mortalProcess.ts'), {
    env: {
      ...COMPILED,
      MORTAL_DATABASE: database.url('ergon_app'),
      MORTAL_NODE: devnet.url,
      MORTAL_TELEGRAM: devnet.telegramUrl,
      MORTAL_TELEGRAM_TOKEN: telegramToken,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  const url = await new Promise<string>((ready, fail) => {
    child.once('message', (message) => ready((message as { url: string }).url))
    child.once('exit', () => fail(new Error('the worker did not start')))
  })
  return {
    url,
    kill: () =>
      new Promise((gone) => {
        child.once('exit', () => gone(performance.now()))
        child.kill('SIGKILL')
      }),
  }
}

/** Emits this many events of one account through the room's interface, in one transaction. */
export async function happen(
  database: TestDatabase,
  account: string,
  events: number,
): Promise<void> {
  await database.sql(
    `select events.emit_many(
       array_agg(gen_random_uuid()), array_agg($1::uuid), array_agg('balance.credited'::text), array_agg(n::text),
       array_agg(clock_timestamp()), array_agg('test'::text),
       array_agg(json_build_object('entry_id', n, 'entry_type', 'deposit', 'amount_sun', n, 'balance_sun', 0)))
       from generate_series(1, $2) n`,
    [account, events],
  )
}
