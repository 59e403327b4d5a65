import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { whenCodeIsRequired } from './api.ts'

// Loaded when a code is asked for, which few visits need.
const StepUpDialog = lazy(() => import('./StepUpDialog.tsx'))

/** Opens when the server asks for a fresh code; `path` is where the code is sent. */
export function StepUp({ path }: { path: string }) {
  const [opened, setOpened] = useState(false)
  /** Waiting calls: one code answers all of them. */
  const waiting = useRef<((given: boolean) => void)[]>([])
  useEffect(() => {
    whenCodeIsRequired(() => {
      setOpened(true)
      return new Promise((resolve) => waiting.current.push(resolve))
    })
    return () => whenCodeIsRequired(undefined)
  }, [])
  const done = (given: boolean) => {
    setOpened(false)
    for (const resolve of waiting.current.splice(0)) resolve(given)
  }
  if (!opened) return null
  return (
    <Suspense>
      <StepUpDialog path={path} done={done} />
    </Suspense>
  )
}
