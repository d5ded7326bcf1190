export { judge, judgeAll, judgeLimit } from './judge.ts'
export type * from './types.ts'
