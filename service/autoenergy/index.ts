export { type AutoEnergy, createAutoEnergy } from './autoenergy.ts'
export { autoEnergyRoutes } from './routes.ts'
