// A Vitest reporter that tells the runner which file has just made progress, over the IPC channel.
import type { UserConsoleLog } from 'vitest'
import type {
  ReportedHookContext,
  Reporter,
  TestCase,
  TestModule,
  TestSuite,
  Vitest,
} from 'vitest/node'

/** `started` and `ended` frame a file; everything between them is progress. */
export type Progress = { file: string; is: 'started' | 'going on' | 'ended' }

function tell({ moduleId }: TestModule, is: Progress['is']): void {
  process.send?.({ file: moduleId, is } satisfies Progress)
}

function goingOn(entity: TestCase | TestSuite | TestModule): void {
  tell(entity.type === 'module' ? entity : entity.module, 'going on')
}

export default class ProgressReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onUserConsoleLog({ taskId }: UserConsoleLog): void {
    const task = taskId && this.#vitest?.state.idMap.get(taskId)
    const entity = task && this.#vitest?.state.getReportedEntity(task)
    if (entity) goingOn(entity)
  }

  onTestModuleQueued = (module: TestModule) => tell(module, 'started')
  onTestModuleEnd = (module: TestModule) => tell(module, 'ended')
  onTestModuleCollected = goingOn
  onTestSuiteReady = goingOn
  onTestSuiteResult = goingOn
  onTestCaseReady = goingOn
  onTestCaseResult = goingOn
  onHookStart = ({ entity }: ReportedHookContext) => goingOn(entity)
  onHookEnd = this.onHookStart
}
