export { amount, exactAmount, percent } from './amounts.ts'
export { acknowledgementNotes } from './leniency.ts'
export { judge, judgeAll, judgeLimit } from './judge.ts'
export type * from './types.ts'
