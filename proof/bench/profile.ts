import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

export type ProfileRequest = { profile: string }

/**
 * Asked for when everything is seeded, so that a profile shows what is measured and nothing else. The
 * program that was asked calls what is returned on its way out.
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
