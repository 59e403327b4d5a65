/** Our particulars, by the settings. An empty one is not printed. */
export type Issuer = {
  name: string
  /** Lines, with line breaks between them. */
  address: string
  registration: string
  taxNumber: string
  email: string
  note: string
}

export const NO_ISSUER: Issuer = {
  name: '',
  address: '',
  registration: '',
  taxNumber: '',
  email: '',
  note: '',
}
