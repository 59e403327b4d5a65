import { Children, type ReactNode, useEffect, useState } from 'react'

/** Counts painted steps up to `last`: what comes later is made in a task of its own, and a phone can be tapped in between. */
export function useSteps(last: number): number {
  const [step, setStep] = useState(0)
  useEffect(() => {
    if (step < last) setStep(step + 1)
  }, [step, last])
  return step
}

/** Paints its parts from the top, one after another. */
export function OneByOne({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children)
  const last = parts.length - 1
  const step = useSteps(last)
  return (
    <>
      {parts.slice(0, step + 1)}
      {step < last && <i hidden aria-busy="true" />}
    </>
  )
}
