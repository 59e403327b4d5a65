import { request } from '../../shared/api.ts'
import { find, serveForms, show } from '../../shared/entrance.ts'
import { servePasskeys, showSecondStep } from '../../shared/passkeyEntrance.ts'

// The sign-in of operators, without the console: nobody loads it who cannot sign in.

type Entered = { totp_required: boolean; second_step: string[] }

const enter = (entered: Entered) => {
  if (entered.totp_required) {
    showSecondStep(entered)
    show('code')
  } else location.assign('/operator')
}

/** The app's key, shown once; nothing received is parsed as markup. */
const setUp = ({ totp_uri, totp_secret }: { totp_uri: string; totp_secret: string }) => {
  find('.secret').textContent = totp_secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
  if (totp_uri.startsWith('otpauth:')) find<HTMLAnchorElement>('.uri').href = totp_uri
  show('app')
}

/** The token is after the #, which no server sees. */
const token = location.hash.slice(1)
const forms = {
  'sign-in': { done: enter },
  code: { done: enter },
  invitation: { more: { token }, done: setUp },
}
serveForms(forms, (path, values) => request('POST', `/operator/v1${path}`, values))
show(location.pathname.endsWith('/invitation') ? 'invitation' : 'sign-in')
servePasskeys<Entered>('/operator/v1', enter)
