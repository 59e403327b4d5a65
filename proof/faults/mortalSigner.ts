import { fork } from 'node:child_process'
import { join } from 'node:path'
import { SANDBOX_MNEMONIC_FILE, SANDBOX_STAKE } from '../../service/app/sandboxNetwork.ts'
import { COMPILED } from '../testing/compiled.ts'

export type MortalSigner = {
  /** Every step since it was armed, in order, each once. */
  steps: string[]
  died: Promise<void>
  kill(): Promise<void>
}

/** A signer in its own process that kills itself with SIGKILL at the step, if one is named. */
export async function startMortalSigner(of: {
  databaseUrl: string
  folder: string
  step?: string
}): Promise<MortalSigner> {
  const child = fork(join(import.meta.dirname, 'mortalProcess.ts'), {
    env: {
      ...COMPILED,
      MORTAL_PROGRAM: 'signer',
      MORTAL_STEP: of.step ?? '',
      DATABASE_SIGNER_URL: of.databaseUrl,
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
      SIGNER_STAKES: SANDBOX_STAKE,
      SIGNER_DIR: of.folder,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  const steps: string[] = []
  const died = new Promise<void>((gone) => {
    child.once('exit', () => gone())
  })
  await new Promise<void>((ready) => {
    child.on('message', (message: 'ready' | 'signed' | { step: string }) => {
      if (message === 'ready') ready()
      else if (typeof message === 'object') steps.push(message.step)
    })
  })
  child.send('arm')
  return {
    steps,
    died,
    async kill() {
      child.kill('SIGKILL')
      await died
    },
  }
}
