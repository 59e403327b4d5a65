import type { PayLanguage } from '@ergon/contract'
import { en, type Messages } from './messages/en.ts'
import { es } from './messages/es.ts'
import { ru } from './messages/ru.ts'
import { zh } from './messages/zh.ts'

const DICTIONARIES: Record<PayLanguage, Messages> = { en, zh, ru, es }

/** The languages, each by its own name. */
export const LANGUAGES: Record<PayLanguage, string> = {
  en: 'English',
  zh: '中文',
  ru: 'Русский',
  es: 'Español',
}

export const messagesOf = (language: PayLanguage): Messages => DICTIONARIES[language]

function known(tag: string): PayLanguage | undefined {
  const [name = ''] = tag.trim().toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, name) ? (name as PayLanguage) : undefined
}

/** The requested language, else the best that the browser accepts, else English. */
export function languageOf(asked: unknown, accepted: string | undefined): PayLanguage {
  const wanted = typeof asked === 'string' ? known(asked) : undefined
  if (wanted) return wanted
  const ranked = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .flatMap((entry) => {
      const [tag = '', ...parameters] = entry.split(';')
      const weight = /^\s*q=([\d.]+)\s*$/.exec(parameters.join(';'))?.[1]
      const language = known(tag)
      return language ? [{ language, weight: weight === undefined ? 1 : Number(weight) }] : []
    })
  const best = ranked.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  return best[0]?.language ?? 'en'
}
