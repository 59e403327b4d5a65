import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

export type ProfileRequest = { profile: string }

/**
 * Starts a CPU profile on request, after the seeding, so that it shows only what is measured. The
 * program calls the returned function before it exits.
 */
export function profileWhenAsked(): () => Promise<void> {
  const profiler = new Session()
  let file: string | undefined
  process.on('message', async (asked: Partial<ProfileRequest>) => {
    if (asked.profile === undefined) return
    file = asked.profile
    profiler.connect()
    await profiler.post('Profiler.enable')
    await profiler.post('Profiler.start')
  })
  return async () => {
    if (file === undefined) return
    const { profile } = await profiler.post('Profiler.stop')
    writeFileSync(file, JSON.stringify(profile))
  }
}
