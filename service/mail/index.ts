export { createMail, type Mail, type MailOptions } from './mail.ts'
