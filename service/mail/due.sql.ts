/** Letters to send: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const LETTERS_TO_SEND = 'exists (select from mail.letter where due_at <= clock_timestamp())'
