/**
 * The operators of a new sandbox. Their approval keys derive from the published test
 * mnemonic (a test checks it), so they are published, and so are the secrets of their apps.
 */
export const SANDBOX_OPERATORS = [
  {
    email: 'operator@ergon.example',
    totpSecret: 'the-first-operator-of-a-sandbox!',
    key: 'b6326d2146ecca6ff6793b65c41889c0d2d13ac6a6aacf3dcf25193b48a72fa5',
    privateKey: '20af009700afe09fdc158c8cee9393d1dfa2707c48e3e52055deb12cabdbc60c',
  },
  {
    email: 'second@ergon.example',
    totpSecret: 'the-other-operator-of-a-sandbox!',
    key: '928c523a4a06c7ba9cc3e6dacd25a435ea58f2b64f36f01fda10c1454e126873',
    privateKey: 'efeacdfcc38ee44af3b361bc8ce93aa6b871880cede2f30e5231328c23ec0dd9',
  },
] as const
