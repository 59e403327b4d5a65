import type { Place } from './connection.ts'
import { isHttp } from './connection.ts'
import { Unusable } from './unusable.ts'

/** The pages: --web, the sandbox's own, or the origin of the API. */
export function webUrlOf(place: Place, web: string | undefined): string {
  if (web !== undefined && !isHttp(web)) {
    throw new Unusable(`"${web}" is not an address such as https://app.example.com.`)
  }
  return web ? new URL(web).origin : (place.sandbox?.web_url ?? new URL(place.baseUrl).origin)
}
