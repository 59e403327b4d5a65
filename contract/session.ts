import { Type } from 'typebox'
import { AddressField, CountField, Nullable, TextInput, TimeField } from './fields.ts'
import { Entered, headers, newPassword, PasswordChange, password, TotpSecret } from './login.ts'
import { defineRoute } from './route.ts'

/** Signing in and out of the workspace. `public` here means: no session yet, but our own page asks. */
const group = 'Session'

const code = Type.String({
  format: 'text',
  minLength: 6,
  maxLength: 32,
  description: 'From the app.',
})
const referral_code = Type.Optional(
  TextInput('Referral code of the account that invited you, if any.', 32),
)

const versions = {
  terms_version: Type.Optional(TextInput('Version of the terms that the person has accepted.', 60)),
  privacy_version: Type.Optional(
    TextInput('Version of the privacy notice that the person has accepted.', 60),
  ),
}

const letters = Type.Unsafe<'sent' | 'logged' | 'none'>({
  type: 'string',
  enum: ['sent', 'logged', 'none'],
  description: 'What becomes of letters here; it says nothing about the address.',
})

export const postSignUp = defineRoute({
  name: 'postSignUp',
  method: 'POST',
  path: '/session/sign-up',
  auth: 'public',
  group,
  summary: 'A letter with a link that opens a new account',
  body: Type.Object({
    email: Type.String({
      format: 'text',
      maxLength: 254,
      pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    }),
    name: Type.Optional(TextInput('How we address you.', 80)),
    referral_code,
    ...versions,
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      letters,
      link: Nullable(Type.String({ description: 'The one in the letter; in the sandbox alone.' })),
    }),
    description: 'The same for every address.',
  },
  refusals: ['no_mail_server', 'terms_not_accepted'],
})

export const postSignUpConfirmation = defineRoute({
  name: 'postSignUpConfirmation',
  method: 'POST',
  path: '/session/sign-up/confirm',
  auth: 'public',
  group,
  summary: 'Choose a password by the link in a letter: a new account, signed in',
  headers,
  body: Type.Object({
    token: TextInput('The end of the link.', 64),
    password: newPassword,
  }),
  reply: { status: 200, schema: Entered, description: 'Signed in; the cookie is set.' },
  refusals: ['invalid_sign_up_link'],
})

export const postSignIn = defineRoute({
  name: 'postSignIn',
  method: 'POST',
  path: '/session/sign-in',
  auth: 'public',
  group,
  summary: 'Sign in by e-mail and password',
  headers,
  body: Type.Object({
    email: TextInput('E-mail address.', 254),
    password: password('Password.'),
  }),
  reply: { status: 200, schema: Entered, description: 'Signed in, or half way.' },
  refusals: ['invalid_login'],
})

export const postSignInCode = defineRoute({
  name: 'postSignInCode',
  method: 'POST',
  path: '/session/code',
  auth: 'public',
  group,
  summary: 'The second step: a code of the authenticator app, or a backup code',
  headers,
  body: Type.Object({ code }),
  reply: { status: 200, schema: Entered, description: 'Signed in.' },
  refusals: ['invalid_code', 'too_many_attempts'],
})

export const postForgotten = defineRoute({
  name: 'postForgotten',
  method: 'POST',
  path: '/session/forgotten',
  auth: 'public',
  group,
  summary: 'A letter with a link to choose a new password, if there is such an account',
  body: Type.Object({ email: TextInput('E-mail address.', 254) }),
  reply: {
    status: 200,
    schema: Type.Object({ letters }),
    description: 'The same for every address.',
  },
  refusals: [],
})

export const postReset = defineRoute({
  name: 'postReset',
  method: 'POST',
  path: '/session/reset',
  auth: 'public',
  group,
  summary: 'Choose a new password by the link in a letter; all sessions end',
  body: Type.Object({
    token: TextInput('The end of the link.', 64),
    new_password: newPassword,
  }),
  reply: { status: 200, schema: Type.Object({}), description: 'Sign in with it now.' },
  refusals: ['invalid_reset_link'],
})

const Challenge = Type.Object({
  nonce: Type.String(),
  message: Type.String({ description: 'Have the wallet sign exactly this text (signMessageV2).' }),
  expires_at: TimeField('The signature counts until then, once.'),
})

export const postWalletSignInChallenge = defineRoute({
  name: 'postWalletSignInChallenge',
  method: 'POST',
  path: '/session/wallet/challenge',
  auth: 'public',
  group,
  summary: 'A text for a wallet to sign in with',
  body: Type.Object({ address: TextInput('Address of the wallet.', 64) }),
  reply: { status: 200, schema: Challenge, description: 'The text.' },
  refusals: ['invalid_wallet'],
})

export const postWalletSignIn = defineRoute({
  name: 'postWalletSignIn',
  method: 'POST',
  path: '/session/wallet',
  auth: 'public',
  group,
  summary: 'Sign in by the signature of a wallet; an unknown wallet gets an account',
  headers,
  body: Type.Object({
    nonce: TextInput('Of the challenge.', 64),
    signature: TextInput('By signMessageV2.', 140),
    referral_code,
    ...versions,
  }),
  reply: { status: 200, schema: Entered, description: 'Signed in, or half way.' },
  refusals: ['invalid_signature', 'terms_not_accepted'],
})

export const postSignOut = defineRoute({
  name: 'postSignOut',
  method: 'POST',
  path: '/session/sign-out',
  auth: 'public',
  group,
  summary: 'Sign out; the session is dead everywhere',
  headers,
  reply: { status: 200, schema: Type.Object({}), description: 'Signed out.' },
  refusals: [],
})

const Me = Type.Object({
  account_id: Type.String(),
  email: Type.String({ description: 'Empty for a user who signs in by wallet only.' }),
  name: Type.String(),
  totp_enabled: Type.Boolean({ description: 'Whether there is an authenticator app.' }),
  passkeys: CountField('Passkeys of yours.'),
  referral_code: Type.String({ description: 'What others name when they sign up.' }),
  sandbox: Type.Boolean({ description: 'There is a test clock, a faucet and provider faults.' }),
})

export const getSession = defineRoute({
  name: 'getSession',
  method: 'GET',
  path: '/session',
  auth: 'session',
  group,
  summary: 'Who is signed in',
  headers,
  reply: { status: 200, schema: Me, description: 'You.' },
  refusals: [],
})

const Terms = Type.Object({
  documents: Type.Array(
    Type.Object({
      document: Type.Unsafe<'terms' | 'privacy'>({ type: 'string', enum: ['terms', 'privacy'] }),
      version: Type.String(),
      since: TimeField('When this version was shown first.'),
      is_sample: Type.Boolean({ description: 'A sample of the sandbox.' }),
      accepted_at: Nullable(TimeField('When you accepted this version; null: you have not.')),
      is_asked: Type.Boolean({
        description: 'You are asked to accept it. Nothing waits for that.',
      }),
    }),
    { description: 'Empty: the operator has set no texts.' },
  ),
})

export const getTerms = defineRoute({
  name: 'getTerms',
  method: 'GET',
  path: '/terms',
  auth: 'session',
  group,
  summary: 'Terms and privacy notice: their versions, and which you have accepted',
  reply: { status: 200, schema: Terms, description: 'As they are.' },
  refusals: [],
})

export const postTerms = defineRoute({
  name: 'postTerms',
  method: 'POST',
  path: '/terms',
  auth: 'session',
  group,
  summary: 'Accept a version of the terms or of the privacy notice',
  body: Type.Object(versions),
  reply: { status: 200, schema: Terms, description: 'As they are now.' },
  refusals: ['terms_not_accepted'],
})

const SessionItem = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  user_agent: Type.String(),
  created_at: TimeField('When it began.'),
  expires_at: TimeField('When it ends if nobody uses it.'),
})

export const getSessions = defineRoute({
  name: 'getSessions',
  method: 'GET',
  path: '/sessions',
  auth: 'session',
  group,
  summary: 'Where you are signed in',
  headers,
  reply: {
    status: 200,
    schema: Type.Object({ sessions: Type.Array(SessionItem) }),
    description: 'Newest first.',
  },
  refusals: [],
})

export const deleteSession = defineRoute({
  name: 'deleteSession',
  method: 'DELETE',
  path: '/sessions/{id}',
  auth: 'session',
  group,
  summary: 'End a session',
  headers,
  params: Type.Object({ id: Type.String() }),
  reply: { status: 204, schema: Type.Null(), description: 'It is dead.' },
  refusals: ['session_not_found'],
})

export const postPassword = defineRoute({
  name: 'postPassword',
  method: 'POST',
  path: '/session/password',
  auth: 'session',
  group,
  summary: 'Change the password; all other sessions end',
  headers,
  body: PasswordChange,
  reply: { status: 200, schema: Type.Object({}), description: 'Changed.' },
  refusals: ['wrong_password'],
})

export const postTotp = defineRoute({
  name: 'postTotp',
  method: 'POST',
  path: '/session/totp',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'A secret for an authenticator app; it counts once a code has confirmed it',
  headers,
  body: Type.Object({ password: Type.Optional(password('Needed by who has one.')) }),
  reply: { status: 200, schema: TotpSecret, description: 'Scan it, then confirm.' },
  refusals: ['wrong_password', 'totp_enabled'],
})

export const postTotpConfirmation = defineRoute({
  name: 'postTotpConfirmation',
  method: 'POST',
  path: '/session/totp/confirm',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Turn the second step on',
  headers,
  body: Type.Object({ code }),
  reply: { status: 200, schema: Type.Object({}), description: 'On.' },
  refusals: ['invalid_code', 'totp_enabled'],
})

export const postTotpRemoval = defineRoute({
  name: 'postTotpRemoval',
  method: 'POST',
  path: '/session/totp/remove',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Turn the second step off',
  headers,
  body: Type.Object({ password: Type.Optional(password('Needed by who has one.')) }),
  reply: { status: 200, schema: Type.Object({}), description: 'Off.' },
  refusals: ['wrong_password'],
})

export const postStepUp = defineRoute({
  name: 'postStepUp',
  method: 'POST',
  path: '/session/step-up',
  auth: 'session',
  group,
  summary: 'Show a code again; keys and wallets can be changed for ten minutes',
  headers,
  body: Type.Object({ code }),
  reply: { status: 200, schema: Type.Object({}), description: 'Open.' },
  refusals: ['invalid_code', 'too_many_attempts', 'second_factor_required'],
})

export const postWalletChallenge = defineRoute({
  name: 'postWalletChallenge',
  method: 'POST',
  path: '/wallet/challenge',
  auth: 'session',
  group,
  summary: 'A text for the wallet you want to link',
  body: Type.Object({ address: TextInput('Address of the wallet.', 64) }),
  reply: { status: 200, schema: Challenge, description: 'The text.' },
  refusals: ['invalid_wallet'],
})

const Wallet = Type.Object({
  wallet_address: Nullable(AddressField('The linked wallet, or null.')),
})

export const postWallet = defineRoute({
  name: 'postWallet',
  method: 'POST',
  path: '/wallet',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Link a wallet by its signature',
  body: Type.Object({
    nonce: TextInput('Of the challenge.', 64),
    signature: TextInput('By signMessageV2.', 140),
  }),
  reply: { status: 200, schema: Wallet, description: 'Linked; you can sign in with it.' },
  refusals: ['invalid_signature', 'wallet_taken'],
})

export const deleteWallet = defineRoute({
  name: 'deleteWallet',
  method: 'DELETE',
  path: '/wallet',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Unlink the wallet',
  headers,
  reply: { status: 204, schema: Type.Null(), description: 'It can no longer sign in.' },
  refusals: ['only_login'],
})
