export { languageOf, wordsOf } from './pay/language.ts'
export { missingPayPage, type PayFiles, payPage } from './pay/page.ts'
