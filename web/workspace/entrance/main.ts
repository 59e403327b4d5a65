import { ApiTrouble, post } from '../../shared/api.ts'
import { busy, type FormOf, find, serveForms, show } from '../../shared/entrance.ts'
import { servePasskeys, showSecondStep } from '../../shared/passkeyEntrance.ts'
import { signWithWallet, walletWords } from '../../shared/wallet.ts'

// Sign-in, sign-up and the links of e-mails, without the workspace: a visitor waits for nothing else.

/** The answer of every way to sign in. */
type Entered = { totp_required: boolean; second_step: string[] }
type Letters = 'sent' | 'logged' | 'none'

const query = new URLSearchParams(location.search)
/** The token of an e-mail's link. It is after the #, which no server sees. */
const token = location.hash.slice(1)

/** The cards that a page goes through; the others are taken out. */
const STEPS: Record<string, string[]> = {
  'sign-in': ['sign-in', 'code'],
  'sign-up': ['sign-up', 'sent', 'code'],
  confirm: ['confirm', 'code'],
  forgot: ['forgot', 'sent'],
  reset: ['reset', 'changed'],
}
const page = location.pathname.slice(1)
const steps = STEPS[page] ?? []
for (const card of document.querySelectorAll<HTMLElement>('main > section, .below')) {
  if (!steps.includes(card.dataset.of ?? card.id)) card.remove()
}

function enter(entered: Entered) {
  if (entered.totp_required) {
    showSecondStep(entered)
    return show('code')
  }
  const back = query.get('back') ?? ''
  location.assign(/^\/(?!\/)/.test(back) ? back : '/overview')
}

/** One line after another, as text: nothing received is parsed as markup. */
function tell(id: string, ...lines: (string | Node)[]) {
  const place = find('[aria-live]', find(`#${id}`))
  place.replaceChildren(
    ...lines.map((line) => {
      const paragraph = document.createElement('p')
      paragraph.append(line)
      return paragraph
    }),
  )
  show(id)
}

const WORDS: Record<Letters, string> = {
  sent: 'Check your inbox, and the spam folder too.',
  logged: 'This sandbox sends no mail: the link is in the output of the service.',
  none: 'This service has no mail server, so it cannot send e-mail. Write to its operator.',
}

function linkTo(href: string, words: string): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = href
  link.textContent = words
  return link
}

/** After a link that is used or too old, the way to a new one. */
const failed = (error: unknown, form: HTMLFormElement) => {
  find('.again', form).hidden = !(error instanceof ApiTrouble && /_link$/.test(error.code))
}

/** Versions of the operator's texts; empty: there is none. Nobody is held up by the sandbox's samples. */
const { terms = '', privacy = '', asked = '' } = document.body.dataset
const accept = find<HTMLInputElement>('#accept')
const fields = [...document.querySelectorAll<HTMLInputElement>('.accept [type=hidden]')]
if (accept && (terms || privacy)) {
  accept.parentElement!.hidden = false
  accept.required = asked === 'yes'
  for (const [name, version] of Object.entries({ terms, privacy })) {
    find<HTMLInputElement>(`.accept [name=${name}_version]`).value = version
    if (!version) find(`.accept .${name}`).remove()
  }
  if (!terms || !privacy) find('.accept .both').remove()
  accept.addEventListener('change', () => {
    for (const field of fields) field.disabled = !accept.checked
  })
}
const note = find('.accept-note')
if (note) note.hidden = asked !== 'yes'

const FORMS: Record<string, FormOf> = {
  'sign-in': { done: enter },
  code: { done: enter },
  confirm: { more: { token }, done: enter, failed },
  reset: { more: { token }, done: () => show('changed'), failed },
  'sign-up': {
    // The same text for every address; only the e-mail reveals whether it has an account.
    done({ letters, link }: { letters: Letters; link: string | null }, { email }) {
      tell(
        'sent',
        ...(letters === 'sent'
          ? [
              `We have sent an e-mail with a link to ${email}. The link works once, for an hour. ${WORDS.sent}`,
            ]
          : []),
        ...(link
          ? [
              'This is a sandbox: the link of the e-mail is here.',
              linkTo(link, 'Choose a password'),
            ]
          : []),
      )
    },
  },
  forgot: {
    done({ letters }: { letters: Letters }, { email }) {
      const sent = `If ${email} has an account, we have sent an e-mail with a link. The link works once, for 30 minutes.`
      tell('sent', ...(letters === 'none' ? [] : [sent]), WORDS[letters])
    },
  },
}

serveForms(Object.fromEntries(Object.entries(FORMS).filter(([id]) => steps.includes(id))), post)

for (const button of document.querySelectorAll<HTMLButtonElement>('.wallet')) {
  const trouble = button.nextElementSibling as HTMLElement
  button.addEventListener('click', () =>
    busy(button, trouble, async () => {
      if (accept && !accept.reportValidity()) return
      const code = find<HTMLInputElement>('[name=referral_code]')?.value
      const paths = { challenge: '/session/wallet/challenge', answer: '/session/wallet' }
      try {
        const accepted = fields.filter(({ disabled, value }) => !disabled && value !== '')
        enter(
          await signWithWallet<Entered>(paths, {
            ...(code && { referral_code: code }),
            ...Object.fromEntries(accepted.map(({ name, value }) => [name, value])),
          }),
        )
      } catch (error) {
        trouble.textContent = walletWords(error)
      }
    }),
  )
}

// The sandbox tells its demo account; in production there is none.
const [email, password] = (document.body.dataset.demo ?? '').split(' ')
const demo = find('.demo')
if (demo && email && password) {
  demo.hidden = false
  find('button', demo).addEventListener('click', () => {
    const form = find<HTMLFormElement>('#sign-in form')
    find<HTMLInputElement>('[name=email]', form).value = email
    find<HTMLInputElement>('[name=password]', form).value = password
    form.requestSubmit()
  })
}

const referral = find<HTMLInputElement>('[name=referral_code]')
if (referral) referral.value = query.get('ref') ?? ''
if ((page === 'confirm' || page === 'reset') && token === '') {
  find('form', find(`#${page}`)).hidden = true
  find('.incomplete', find(`#${page}`)).hidden = false
}
show(page)
servePasskeys<Entered>('/app/v1', enter)
