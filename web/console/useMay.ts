import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from './calls.ts'

/** Whether the role of the operator who is signed in may make this change; the server decides in the end. */
export function useMay(path: string): boolean {
  const { data } = useQuery(sessionQuery)
  return data?.may.some((route) => isOf(path, route)) ?? true
}

function isOf(path: string, route: string): boolean {
  const [given, wanted] = [path.split('/'), route.split('/')]
  const fits = (part: string, at: number) => part.startsWith('{') || part === given[at]
  return given.length === wanted.length && wanted.every(fits)
}
