import { canPasskey } from './canPasskey.ts'
import { busy, find } from './entrance.ts'

/** Before the browser's five minutes are over: then the page asks anew. */
const AGAIN_MS = 4 * 60_000

type Entered = { totp_required: boolean; second_step: string[] }

/**
 * The buttons for a passkey on the cards of sign-in and second step, and passkeys in the list that the browser shows
 * under the field of the e-mail address.
 */
export function servePasskeys<E extends Entered>(base: string, enter: (entered: E) => void) {
  if (!canPasskey()) return
  let offered: AbortController | undefined
  const paths = { challenge: '/session/passkey/challenge', answer: '/session/passkey' }
  const show = async (secondStep: boolean, signal?: AbortSignal) => {
    const { showPasskey } = await import('./passkey.ts')
    const asked = { ...paths, body: { second_step: secondStep } }
    return showPasskey<E>(base, asked, signal && { mediation: 'conditional', signal })
  }

  for (const [id, isSecond] of [
    ['sign-in', false],
    ['code', true],
  ] as const) {
    const card = document.getElementById(id)
    const button = card && find<HTMLButtonElement>('.passkey', card)
    if (!card || !button) continue
    const trouble = button.nextElementSibling as HTMLElement
    // On the card of the second step, enter() shows it to who has one.
    if (!isSecond) {
      button.hidden = false
      // At the workspace there is another way below already.
      const or = card.querySelector<HTMLElement>('.or.passkeys')
      if (or) or.hidden = false
    }
    button.addEventListener('click', () =>
      busy(button, trouble, async () => {
        // The browser runs one request at a time.
        offered?.abort()
        try {
          enter(await show(isSecond))
        } catch (error) {
          trouble.textContent = (await import('./passkey.ts')).passkeyWords(error)
          if (!isSecond) void offer()
        }
      }),
    )
  }

  /** Offers passkeys beside the stored passwords, without a button. */
  async function offer() {
    const { isConditionalMediationAvailable: isThere } = PublicKeyCredential
    if (!(await isThere?.call(PublicKeyCredential))) return
    const own = new AbortController()
    offered = own
    const again = setTimeout(() => {
      own.abort()
      if (document.visibilityState === 'visible') void offer()
      else document.addEventListener('visibilitychange', () => void offer(), { once: true })
    }, AGAIN_MS)
    try {
      enter(await show(false, own.signal))
    } catch (error) {
      if (own.signal.aborted) return
      const place = document.querySelector<HTMLElement>('#sign-in .passkey + .trouble')
      const { passkeyWords } = await import('./passkey.ts')
      const isRefused = !(error instanceof DOMException)
      if (place && isRefused) place.textContent = passkeyWords(error)
    } finally {
      clearTimeout(again)
    }
  }
  if (!document.getElementById('sign-in')?.hidden) void offer()
}

/** The second step has a field for who has an app, and a button for who has a passkey. */
export function showSecondStep({ second_step }: Entered) {
  const card = find('#code')
  const hasApp = second_step.includes('code')
  const hasPasskey = second_step.includes('passkey')
  find('form', card).hidden = !hasApp
  find('.or', card).hidden = !hasApp || !hasPasskey
  const button = find('.passkey', card)
  button.hidden = !hasPasskey || !canPasskey()
  button.classList.toggle('other', hasApp)
  find('.alone', card).hidden = hasApp || !canPasskey()
  find('.only', card).hidden = hasApp || canPasskey()
}
