export { troubleOfPages } from './built.ts'
export { type Asked, EXAMPLES, SETUP, snippetsOf } from './docs/snippets.ts'
export { languageOf, messagesOf } from './pay/language.ts'
export { missingPayPage, type PayFiles, payPage } from './pay/page.ts'
