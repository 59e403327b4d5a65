import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { type SecondStep, whenCodeIsRequired } from './api.ts'

// Loaded when a code is asked for, which few visits need.
const StepUpDialog = lazy(() => import('./StepUpDialog.tsx'))

/** Opens when the server asks for a fresh code or passkey; `path` is where the code is sent. */
export function StepUp({ path }: { path: string }) {
  const [way, setWay] = useState<SecondStep>()
  /** Waiting calls: one code answers all of them. */
  const waiting = useRef<((given: boolean) => void)[]>([])
  useEffect(() => {
    whenCodeIsRequired((asked) => {
      setWay(asked)
      return new Promise((resolve) => waiting.current.push(resolve))
    })
    return () => whenCodeIsRequired(undefined)
  }, [])
  const done = (given: boolean) => {
    setWay(undefined)
    for (const resolve of waiting.current.splice(0)) resolve(given)
  }
  if (!way) return null
  return (
    <Suspense>
      <StepUpDialog path={path} way={way} done={done} />
    </Suspense>
  )
}
