import { localTimes } from '../shared/localTimes.ts'

const page = document.querySelector<HTMLElement>('.status')!
const LOOK_MS = 60_000

localTimes()
setInterval(look, LOOK_MS)
document.addEventListener('visibilitychange', look)

/** Reloads the page when something began or ended, so that nobody reads an old state. */
async function look() {
  if (document.hidden) return
  const answer = await fetch('/v1/public/status').catch(() => undefined)
  if (!answer?.ok) return
  const { state, incidents } = await answer.json()
  type Shown = { id: string; ended_at: string | null }
  const open = (incidents as Shown[]).filter(({ ended_at }) => ended_at === null)
  const ids = open.map(({ id }) => id).join(' ')
  if (state !== page.dataset.state || ids !== page.dataset.open) location.reload()
}
