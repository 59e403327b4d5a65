import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { environment, systemRuntime } from '../../service/kernel/index.ts'

/**
 * The service, or the signer, in a process that kills itself with SIGKILL at a chosen step. Steps
 * count from the moment the parent arms it; every step reached is reported. With a file of deaths
 * it dies once at each step that MORTAL_PATTERN matches: the file holds the steps done. A share
 * such as 1/3 takes a third of those steps, by their names.
 */
const { MORTAL_PROGRAM, MORTAL_STEP } = environment()
const { MORTAL_DEATHS = '', MORTAL_PATTERN = '', MORTAL_SHARE = '0/1' } = environment()
const pattern = MORTAL_DEATHS === '' ? undefined : new RegExp(MORTAL_PATTERN)
const readDeaths = () =>
  new Set(existsSync(MORTAL_DEATHS) ? readFileSync(MORTAL_DEATHS, 'utf8').split('\n') : [])
let deaths = readDeaths()

const [turn, parts] = MORTAL_SHARE.split('/').map(Number) as [number, number]
/** Any even distribution over the names works, as long as it is the same in every process. */
const partOf = (label: string) => createHash('sha256').update(label).digest()[0]! % parts
const isDeadly = (label: string) =>
  pattern?.test(label) === true && partOf(label) === turn && !deaths.has(label)

const seen = new Set<string>()
let armed = false

const runtime = {
  ...systemRuntime(),
  async step(label: string) {
    if (!armed) return
    if (label === MORTAL_STEP) process.kill(process.pid, 'SIGKILL')
    if (isDeadly(label)) {
      appendFileSync(MORTAL_DEATHS, `${label}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
    if (seen.has(label)) return
    seen.add(label)
    process.send?.({ step: label })
  },
}

process.on('message', (message) => {
  if (message !== 'arm') return
  armed = true
  // The parent may have forgotten them, to kill at the same steps once more.
  deaths = readDeaths()
})

if (MORTAL_PROGRAM === 'signer') {
  await (await import('../../service/signer.ts')).runSigner(runtime)
} else {
  await (await import('./mortalApp.ts')).runMortalApp(runtime)
}
