import { statement } from '../db/index.ts'

export const insertLetter = statement(
  'mail.insertLetter',
  `
  insert into mail.letter (id, recipient, subject, text, due_at) values ($1, $2, $3, $4, clock_timestamp())
`,
)

export type LetterRow = {
  id: string
  recipient: string
  subject: string
  text: string
  attempts: number
}

export const claimLetters = statement<LetterRow>(
  'mail.claimLetters',
  `
  update mail.letter
     set due_at = clock_timestamp() + make_interval(secs => $1), attempts = attempts + 1
   where id = any (array(
           select l.id from mail.letter l where l.due_at <= clock_timestamp() and l.id <> all ($3::uuid[])
            order by l.due_at limit $2 for update skip locked))
  returning id, recipient, subject, text, attempts
`,
)

export const delayLetter = statement(
  'mail.delayLetter',
  `
  update mail.letter set due_at = clock_timestamp() + make_interval(secs => $2) where id = $1
`,
)

export const deleteLetter = statement(
  'mail.deleteLetter',
  `
  delete from mail.letter where id = $1
`,
)
