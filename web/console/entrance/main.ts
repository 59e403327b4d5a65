import { request } from '../../shared/api.ts'
import { serveForms, show } from '../../shared/entrance.ts'

// The sign-in of operators, without the console: nobody loads it who cannot sign in.

const enter = ({ totp_required }: { totp_required: boolean }) => {
  if (totp_required) show('code')
  else location.assign('/operator')
}

serveForms({ 'sign-in': { done: enter }, code: { done: enter } }, (path, values) =>
  request('POST', `/operator/v1${path}`, values),
)
show('sign-in')
