export { type AutoEnergy, createAutoEnergy } from './autoenergy.ts'
export type { BarRow } from './bars/bars.ts'
export { autoEnergyRoutes } from './routes.ts'
