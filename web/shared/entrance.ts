import './palette.css'
import './base.css'
import './entrance.css'
import { messageOf } from './messages.ts'

// Pages before a sign-in, as one HTML file of cards: a visitor waits for nothing else.

export const find = <T extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
) => within.querySelector<T>(selector) as T

/** Shows one of the cards, and the line that belongs under it. */
export function show(id: string) {
  for (const card of document.querySelectorAll<HTMLElement>('main > section')) {
    card.hidden = card.id !== id
  }
  for (const line of document.querySelectorAll<HTMLElement>('.below')) {
    line.hidden = line.dataset.of !== id
  }
  document.title = `${find('h1', find(`#${id}`)).textContent} · Ergon`
  find<HTMLInputElement>(`#${id} input`)?.focus()
}

export async function busy(
  button: HTMLButtonElement,
  trouble: HTMLElement,
  work: () => Promise<void>,
) {
  button.disabled = true
  trouble.textContent = ''
  await work().finally(() => {
    button.disabled = false
  })
}

export type Values = Record<string, string>
/** What a form sends besides its fields, and what follows. */
export type FormOf = {
  more?: Values
  done(answer: never, values: Values): void
  failed?(error: unknown, form: HTMLFormElement): void
}

/** Sends the forms of the cards with these ids to the paths that their HTML names. */
export function serveForms(
  forms: Record<string, FormOf>,
  send: (path: string, values: Values) => Promise<unknown>,
) {
  for (const [id, { more, done, failed }] of Object.entries(forms)) {
    const form = find<HTMLFormElement>(`#${id} form`)
    const trouble = find('.trouble', form)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const fields = [...new FormData(form)].filter(([, value]) => value !== '')
      const values = Object.fromEntries(fields) as Values
      void busy(find('button[type=submit]', form), trouble, async () => {
        try {
          done((await send(form.dataset.path!, { ...more, ...values })) as never, values)
        } catch (error) {
          trouble.textContent = messageOf(error)
          failed?.(error, form)
        }
      })
    })
  }
}
