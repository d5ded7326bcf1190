export { chartData } from './chart-data.ts'
export { renderHtml } from './page.ts'
