// A password costs a fifth of a second of the processor on purpose, and people sign in hundreds of times in a run. What
// the package for sign-in asks of scrypt is cheap in a test's process; nothing else is.
import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
/** As `@better-auth/utils/password` asks for it. */
const isOfSignIn = ({ N, r, p }: ScryptOptions) => N === 16_384 && r === 16 && p === 1
const CHEAP = { N: 2, r: 1, p: 1 }

crypto.scrypt = ((...[password, salt, length, options, done]: Parameters<typeof scrypt>) =>
  scrypt(password, salt, length, isOfSignIn(options) ? CHEAP : options, done)) as typeof scrypt
syncBuiltinESMExports()
