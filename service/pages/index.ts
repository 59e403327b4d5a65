export { mountDocs } from './docs.ts'
export { mountPages, type Site } from './pages.ts'
export { mountPayPage } from './payPage.ts'
export { drawQr } from './qr.ts'
