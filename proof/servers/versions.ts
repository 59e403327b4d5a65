import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../testing/cluster.ts'
import { openAnyServer } from './anyServer.ts'
import { programsOf } from './programs.ts'
import { ergon, settingsOf, startOn, trade } from './trade.ts'

const REFUSED = 14
const SUPPORTED = [15, 16, 17, 18]
const SENTENCE = /PostgreSQL 15 or newer is needed, and this server is 14\./

export type VersionsReport = { passed: string[]; notTried: string[]; failures: string[] }

/** Each version: migrated, sold on, audited; the one before the first is refused by all that meets it. */
export async function runVersions(say: (line: string) => void): Promise<VersionsReport> {
  const report: VersionsReport = { passed: [], notTried: [], failures: [] }
  const scratch = temporaryFolder('versions')
  try {
    for (const version of [REFUSED, ...SUPPORTED]) {
      const found = programsOf(version, scratch)
      if ('notTried' in found) {
        report.notTried.push(`${version}`)
        say(`${version}: not tried: ${found.notTried}`)
        continue
      }
      try {
        const sentence = await tryVersion(version, found.folder, join(scratch, `server-${version}`))
        report.passed.push(`${version}`)
        say(`${sentence} (${found.from})`)
      } catch (error) {
        report.failures.push(`${version}: ${(error as Error).message}`)
        say(`${version}: FAILED ${(error as Error).message}`)
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return report
}

async function tryVersion(version: number, programs: string, folder: string): Promise<string> {
  const server = await openAnyServer(programs, folder)
  const data = join(folder, 'ergon')
  mkdirSync(data)
  try {
    if (version === REFUSED) return await expectRefusal(server.url, server.version, data)
    const { delivered, migrated, audit } = await trade(server.url, data)
    return `${server.version}: ${migrated} ${delivered} orders delivered. ${audit}`
  } finally {
    await server.close()
  }
}

async function expectRefusal(url: (role: string) => string, version: string, data: string) {
  const met = {
    start: await startOn(url, data),
    migrate: await ergon(['migrate'], { DATABASE_ADMIN_URL: url('ergon_admin') }),
    doctor: await ergon(['doctor'], settingsOf(url, data)),
  }
  for (const [name, { code, text }] of Object.entries(met)) {
    if (code !== 1 || !SENTENCE.test(text)) throw new Error(`${name} ended with ${code}: ${text}`)
  }
  return `${version}: refused by the start, migrate and the doctor. "${met.start.text}"`
}
